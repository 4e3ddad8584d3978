// SPDX-License-Identifier: Apache-2.0
#include "fft/job_files.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <utility>

#include "data/format/xarray/missing.hpp"
#include "data/target/unfinished.hpp"
#include "fft/job_paths.hpp"
#include "fft/job_record.hpp"
#include "fft/job_request.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo::fft {

namespace fs = std::filesystem;

namespace {

// Of what is there, or of where it will be.
dev_t disk_of(fs::path path) {
  struct stat facts {};
  while (::stat(path.c_str(), &facts) != 0 && path.has_relative_path()) path = path.parent_path();
  return facts.st_dev;
}

}  // namespace

bool is_flat(storage_format format) { return Format::of(format).is_one_block(); }

storage_format target_format(const JobOptions& options) {
  if (options.target_as.format) return *options.target_as.format;
  return format_of_ending(absolute_target(options.target).string());
}

JobFiles::JobFiles(const JobOptions& options, const Storage& source, const FftPlan& plan)
    : options_(options), source_(source), plan_(plan), target_(absolute_target(options.target)), as_(options.target_as), format_(target_format(options)) {
  if (!options.from) check_apart();
  check_target(target_.string(), made_as().id(), options.overwrite);
  if (!fs::is_directory(target_.parent_path()))
    throw io_error("the directory of the target, '" + target_.parent_path().string() + "', does not exist", "Make it first");
  if (::access(target_.parent_path().c_str(), W_OK) != 0)
    throw io_error_from(errno, "the directory of the target, '" + target_.parent_path().string() + "', cannot be written to");
  if (as_.chunks && is_flat(format_))
    throw usage_error("chunks are for a Zarr, HDF5 or Octavo target; '" + options.target + "' is one dense array",
                      "Leave them out, or end the target in .zarr");
  if (!as_.devices.empty() && !Format::of(format_).is_paged())
    throw usage_error("devices are for an Octavo array; '" + options.target + "' lies in one place", "Leave them out, or end the target in .octavo");
  if (plan.uses_scratch) {
    fs::path directory = options.scratch.empty() ? target_.parent_path() : fs::absolute(options.scratch);
    if (!fs::is_directory(directory)) throw io_error("the scratch directory '" + directory.string() + "' does not exist", "Make it first, or choose another");
    scratch_directory_ = directory;
  }
  carry_over(source, options.copy, as_.zarr_version == 2 && &made_as() == &zarr_format(), carried_);
  if (Format::of(format_).is_paged()) carried_.fill.clear();  // all of its pages are there, and are written
  carried_.zarr_version = as_.zarr_version;
  carried_.compressor = as_.compressor;
  carried_.level = as_.level;
  carried_.shard = as_.shard;
  carried_.devices = as_.devices;
  carried_.map = as_.map;
  carried_.map_block = as_.map_block;
  if (as_.shard.size() > 0) chunk_in_shards_ = as_.chunks.value_or(chunk_of_encoded(options, source));
  check_space();
  if (!options.from) identity_ = Identity(source);
}

void JobFiles::check_apart() const {
  const auto from = real_path(source_.path), to = real_path(target_);
  if (from == to) throw usage_error("source and target are the same, '" + options_.source + "'", "Give the result a name of its own");
  if (is_within(to, from))
    throw usage_error("the target '" + options_.target + "' lies inside the source '" + options_.source + "'", "Choose a target outside the source");
  if (is_within(from, to)) throw usage_error("the source '" + options_.source + "' lies inside the target '" + options_.target + "'", "Choose another target");
}

JobFiles::~JobFiles() { remove_scratch(); }

void JobFiles::remove_scratch() noexcept {
  std::error_code ignored;
  if (!scratch_.empty()) fs::remove(std::exchange(scratch_, {}), ignored);
}

// What is encoded may take much less than its elements: only the disk itself can say.
void JobFiles::check_space() const {
  std::map<dev_t, std::pair<std::string, std::int64_t>> needed;  // by file system: a directory on it, bytes
  auto add = [&](const std::string& where, std::int64_t bytes) {
    auto& entry = needed[disk_of(where)];
    if (entry.first.empty()) entry.first = where;
    entry.second += bytes;
  };
  if (!Format::of(format_).is_served() && !is_encoded(as_))
    for (const auto& [where, bytes] : bytes_by_place(format_, target_.string(), plan_.shape, chunk(), plan_.out_type, carried_)) add(where, bytes);
  if (plan_.uses_scratch) add(scratch_directory_.string(), plan_.scratch_bytes);
  for (const auto& [disk, entry] : needed) {
    std::int64_t there = bytes_free(entry.first);
    if (entry.second > there)
      throw refused(std::string(plan_.uses_scratch ? "the result with its scratch file" : "the result") + " takes " + format_bytes(entry.second) + ", and " +
                        format_bytes(there) + " are free on the disk of '" + entry.first + "'",
                    "Free space there, or put the target (or the scratch directory) on another disk");
  }
}

Shape JobFiles::chunk() const { return is_flat(format_) ? plan_.shape : plan_.target_chunk; }

// A library's file of one piece (HDF5) is written as a raw one.
const Format& JobFiles::made_as() const {
  if (as_.create) return as_.creates_zarr ? zarr_format() : hdf5_format();
  return Format::of(format_);
}

void JobFiles::begin() {
  making_.reset();
  making_ = std::make_unique<NewTarget>(target_.string(), made_as().id(), options_.overwrite);
  making_->record(plan_record(options_, source_, plan_));
  recording_ = true;
}

Storage JobFiles::create_target() {
  const std::string& place = making_->place();
  Storage made = as_.create ? as_.create(place, plan_.shape, chunk(), plan_.out_type, carried_)
                            : create_storage(format_, place, plan_.shape, as_.shard.size() > 0 ? *chunk_in_shards_ : chunk(), plan_.out_type, carried_);
  making_->made();
  made.fill.clear();  // a chunk that a pass finds missing was written by the pass before, and removed
  return made;
}

// HDF5's library has its file open, and writes its beginning when it likes.
void JobFiles::hide_target() {
  if (!Format::of(format_).is_served() || made_as().is_directory()) making_->hide();
}

Storage JobFiles::create_scratch() {
  scratch_ = making_->scratch_place(scratch_directory_.string());
  return create_storage(storage_format::page_file, scratch_.string(), plan_.shape, plan_.scratch_chunk, plan_.out_type);
}

// Nothing but time is lost with the record of a box, so no job fails for it.
void JobFiles::box_done(int pass, std::int64_t box) {
  if (!recording_) return;
  try {
    making_->record(box_record(pass, box));
  } catch (const io_error& e) {
    log_line(e.what());
    recording_ = false;
  }
}

void JobFiles::finish() {
  in_context([&] { return "reading '" + options_.source + "'"; }, [&] { identity_.check(); });
  making_->finish();
}

void JobFiles::end() noexcept { making_.reset(); }

std::vector<std::string> JobFiles::removed() const { return making_->removed(); }

}  // namespace octavo::fft
