// SPDX-License-Identifier: Apache-2.0
#include "fft/job_request.hpp"

#include <sched.h>

#include <algorithm>

#include "data/format/table/format.hpp"
#include "data/format/zarr/codecs.hpp"
#include "fft/job_arrays.hpp"
#include "fft/job_files.hpp"
#include "octavo/base/error.hpp"

namespace octavo::fft {

namespace {

constexpr std::int64_t most_servers = 8;

int cores_of(const JobOptions& options) {
  if (options.cores < 0) throw usage_error("a job on " + std::to_string(options.cores) + " cores", "Give at least 1, or leave it out");
  if (options.cores > 0) return options.cores;
  cpu_set_t mine;
  return ::sched_getaffinity(0, sizeof(mine), &mine) == 0 ? CPU_COUNT(&mine) : 1;
}

// Other libraries decode on one core each: half of the cores do that, the others transform; they take no more than an eighth of the memory.
int servers_of(const JobOptions& options, std::int64_t unit_bytes) {
  std::int64_t fit = options.memory / 8 / std::max<std::int64_t>(1, unit_bytes);
  return static_cast<int>(std::clamp<std::int64_t>(std::min<std::int64_t>(fit, cores_of(options) / 2), 1, most_servers));
}

// As it will be made, as far as the planner must know it.
Storage encoded_target(const JobOptions& options, const Storage& source, storage_format format) {
  Storage target{.format = format, .path = options.target, .shape = source.shape, .type = options.copy ? source.type : transformed(source.type)};
  target.zarr_version = options.target_as.zarr_version;
  target.chunk = options.target_as.chunks.value_or(chunk_of_encoded(options, source));
  choose_codecs({.compressor = options.target_as.compressor, .level = options.target_as.level, .shard = options.target_as.shard}, target);
  return target;
}

FftEnd end_of(storage_format format, std::int64_t unit_bytes, std::size_t devices, int servers) {
  const Format& known = Format::of(format);
  FftEnd end;
  end.whole_chunks = known.is_served() || (known.has_codecs() && unit_bytes > 0);  // encoded
  if (end.whole_chunks) end.unit_bytes = unit_bytes, end.devices = known.is_served() ? servers : 1;
  end.paged = known.is_paged();
  if (end.paged) end.devices = static_cast<int>(std::max<std::size_t>(1, devices));
  return end;
}

}  // namespace

bool is_encoded(const TargetOptions& as) { return as.shard.size() > 0 || (!as.compressor.empty() && as.compressor != "none"); }

Shape chunk_of_encoded(const JobOptions& options, const Storage& source) {
  const std::int64_t element = size_of(options.copy ? source.type : transformed(source.type));
  return default_chunk(source.shape, element, std::clamp<std::int64_t>(options.memory / 64, 64 * KiB, default_chunk_bytes));
}

std::int64_t encoding_memory_of(const JobOptions& options, const Storage& storage, bool writing) {
  return encoding_memory(storage, writing, cores_of(options), options.memory / 8);
}

FftRequest request_of(const JobOptions& options, const Storage& source) {
  check_budget(options.memory, "a job");
  const TargetOptions& as = options.target_as;
  const storage_format target = options.to ? storage_format::pages : target_format(options);
  const bool encoded = !options.to && Format::of(target).has_codecs() && is_encoded(as);
  const std::int64_t source_bytes = source.is_encoded() ? encoding_memory_of(options, source, false) : source.unit_bytes;
  const std::int64_t target_bytes = encoded ? encoding_memory_of(options, encoded_target(options, source, target), true) : as.unit_bytes;
  FftRequest request{.shape = source.shape,
                     .type = source.type,
                     .copy = options.copy,
                     .axes = options.axes,
                     .inverse = options.inverse,
                     .norm = options.norm,
                     .source_chunk = source.chunk,
                     .source_flat = is_flat(source.format),
                     .target_flat = is_flat(target),
                     .target_chunk = options.to ? options.to->page() : as.chunks,
                     .memory = options.memory,
                     .cores = cores_of(options),
                     .source = options.from ? JobArrays::end_of(*options.from)
                                            : end_of(source.format, source_bytes, source.files.size(), servers_of(options, source.unit_bytes)),
                     .target = options.to ? JobArrays::end_of(*options.to)
                                          : end_of(target, target_bytes, as.devices.size(), as.creates_zarr ? servers_of(options, as.unit_bytes) : 1)};
  if (options.from && options.to) request.target.shared = JobArrays::shared_devices(*options.from, *options.to);
  if (encoded) request.target_chunk = as.shard.size() > 0 ? as.shard : as.chunks ? *as.chunks : chunk_of_encoded(options, source);
  // A copy keeps the chunks, where the options do not say otherwise.
  if (options.copy && !request.target_chunk && !request.target_flat && !request.source_flat) request.target_chunk = source.chunk;
  return request;
}

}  // namespace octavo::fft
