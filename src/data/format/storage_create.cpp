// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "data/format/table/format.hpp"
#include "data/target/target_lock.hpp"
#include "data/text/text_file.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

namespace fs = std::filesystem;

void check_new(const Format& format, const std::string& path) {
  std::error_code failed;
  auto status = fs::symlink_status(path, failed);
  if (status.type() == fs::file_type::not_found) return;
  if (format.is_directory() && fs::is_directory(status) && fs::is_empty(path, failed)) return;
  throw usage_error("'" + path + "' exists already", "Remove it, or choose another path");
}

void check_chunk(const Shape& shape, const Shape& chunk, dtype type, const std::string& path) {
  if (chunk.size() != shape.size())
    throw usage_error("'" + path + "': chunks of " + chunk.text() + " for an array of " + shape.text(), "Give the chunk an extent for each dimension");
  check_elements(chunk, type, "'" + path + "': the chunk");
  Shape stored = shape;
  for (int axis = 0; axis < shape.size(); ++axis) stored[axis] = (shape[axis] + chunk[axis] - 1) / chunk[axis] * chunk[axis];
  check_shape(stored, type, "'" + path + "': the shape in whole chunks");
}

}  // namespace

Storage create_storage(storage_format format, const std::string& path, const Shape& shape, const Shape& chunk, dtype type, const CreateOptions& options) {
  const Format& wanted = Format::of(format);
  Storage result{format, path, shape, wanted.is_one_block() ? at_least_one(shape) : chunk, type, options.order};
  while (result.path.size() > 1 && result.path.back() == '/') result.path.pop_back();
  result.separator = options.separator;
  wanted.may_be_empty() ? check_shape(shape, type, "'" + path + "'") : check_elements(shape, type, "'" + path + "'");
  check_chunk(shape, result.chunk, type, path);
  if (options.separator != '/' && options.separator != '.')
    throw usage_error("'" + path + "': chunk keys separated by '" + options.separator + "'", "Choose '/' or '.'");
  if (options.zarr_version != 2 && options.zarr_version != 3)
    throw usage_error("'" + path + "': Zarr version " + std::to_string(options.zarr_version), "Choose 2 or 3");
  if (!options.fill.empty() && static_cast<std::int64_t>(options.fill.size()) != size_of(type))
    throw usage_error("'" + path + "': a fill element of " + std::to_string(options.fill.size()) + " bytes for " + std::string(name_of(type)),
                      "Give one element");
  if (!wanted.is_paged() && !options.devices.empty())
    throw usage_error("'" + path + "': devices are for Octavo arrays", "Give none, or end the path in .octavo");
  const bool encoded = options.shard.size() > 0 || options.level || (!options.compressor.empty() && options.compressor != "none");
  if (!wanted.has_codecs() && encoded) throw usage_error("'" + path + "': a compressor and shards are for Zarr", "Leave them out, or end the path in .zarr");
  // A page file is part of something that is locked, or of a device.
  TargetLock lock = wanted.made_as().empty() ? TargetLock() : TargetLock::of(result.path);
  check_new(wanted, result.path);
  return wanted.create(std::move(result), options);
}

}  // namespace octavo
