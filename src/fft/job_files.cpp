// SPDX-License-Identifier: Apache-2.0
#include "fft/job_files.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <map>
#include <utility>

#include "data/format/xarray/missing.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/fd.hpp"

namespace octavo::fft {

namespace fs = std::filesystem;

namespace {

fs::path target_path(const std::string& target) {
  fs::path path = fs::absolute(target).lexically_normal();
  return path.filename().empty() ? path.parent_path() : path;  // a slash at the end
}

// In small letters, as open_storage looks at it.
std::string ending_of(const fs::path& path) {
  std::string ending = path.extension().string();
  for (char& c : ending)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return ending;
}

bool is_within(const fs::path& inner, const fs::path& outer) {
  auto [end, ignored] = std::mismatch(outer.begin(), outer.end(), inner.begin(), inner.end());
  return end == outer.end();
}

// Of what is there, or of where it will be.
dev_t disk_of(fs::path path) {
  struct stat facts {};
  while (::stat(path.c_str(), &facts) != 0 && path.has_relative_path()) path = path.parent_path();
  return facts.st_dev;
}

void sync_directory(const fs::path& directory) {
  Fd opened(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || ::fsync(opened.get()) != 0) throw io_error_from(errno, "writing the directory '" + directory.string() + "' to its disk");
}

}  // namespace

bool is_flat(storage_format format) { return format == storage_format::npy || format == storage_format::raw; }

storage_format target_format(const JobOptions& options) {
  if (options.target_as.format) return *options.target_as.format;
  fs::path path = target_path(options.target);
  auto ending = ending_of(path);
  if (ending == ".zarr") return storage_format::zarr;
  if (ending == ".npy") return storage_format::npy;
  if (ending == ".raw" || ending == ".bin" || ending == ".dat") return storage_format::raw;
  if (ending == ".octavo") return storage_format::pages;
  throw not_supported("the format of the target '" + path.string() + "' is not known by its ending",
                      "End it in .zarr, .npy, .raw or .octavo; from Python and the octavo command also in .h5");
}

// A name that only one program has, and that ends with it: nothing to clean up after kill -9.
TargetLock::TargetLock(const fs::path& target) : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_un name{};
  name.sun_family = AF_UNIX;
  std::string text = "octavo-target-" + std::to_string(std::hash<std::string>()(fs::weakly_canonical(target).string()));
  std::copy(text.begin(), text.end(), name.sun_path + 1);  // the first byte stays 0: no file
  auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  if (socket_ && ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&name), length) == 0) return;
  if (errno == EADDRINUSE) throw refused("the target '" + target.string() + "' is being made by another program", "Wait for it, or give another name");
  throw io_error_from(errno, "reserving the target '" + target.string() + "'");
}

JobFiles::JobFiles(const JobOptions& options, const Storage& source, const FftPlan& plan)
    : plan_(plan), overwrite_(options.overwrite), target_(target_path(options.target)), as_(options.target_as), format_(target_format(options)) {
  unfinished_ = target_.string() + ".unfinished";
  auto from = fs::weakly_canonical(source.path), to = fs::weakly_canonical(target_);
  if (from == to) throw usage_error("source and target are the same, '" + options.source + "'", "Give the result a name of its own");
  if (is_within(to, from))
    throw usage_error("the target '" + options.target + "' lies inside the source '" + options.source + "'", "Choose a target outside the source");
  if (is_within(from, to)) throw usage_error("the source '" + options.source + "' lies inside the target '" + options.target + "'", "Choose another target");
  if (fs::exists(target_) && !overwrite_) refuse_existing();
  if (!fs::is_directory(target_.parent_path()))
    throw io_error("the directory of the target, '" + target_.parent_path().string() + "', does not exist", "Make it first");
  if (::access(target_.parent_path().c_str(), W_OK) != 0)
    throw io_error_from(errno, "the directory of the target, '" + target_.parent_path().string() + "', cannot be written to");
  if (as_.chunks && is_flat(format_))
    throw usage_error("--chunks is for a Zarr target; '" + options.target + "' is one dense array", "Leave it out, or end the target in .zarr");
  if (!as_.devices.empty() && format_ != storage_format::pages)
    throw usage_error("--devices is for an Octavo array; '" + options.target + "' lies in one place", "Leave it out, or end the target in .octavo");
  if (plan.uses_scratch) {
    fs::path directory = options.scratch.empty() ? target_.parent_path() : fs::absolute(options.scratch);
    if (!fs::is_directory(directory))
      throw io_error("the scratch directory '" + directory.string() + "' does not exist", "Make it first, or choose another with --scratch");
    scratch_ = directory / (target_.filename().string() + ".scratch.unfinished");
  }
  carry_over(source, options.copy, as_.zarr_version == 2 && ending_of(target_) == ".zarr", carried_);
  if (format_ == storage_format::pages) carried_.fill.clear();  // all of its pages are there, and are written
  carried_.zarr_version = as_.zarr_version;
  carried_.devices = as_.devices;
  carried_.map = as_.map;
  carried_.map_block = as_.map_block;
  check_space();
}

JobFiles::~JobFiles() { remove_scratch(); }

void JobFiles::remove_scratch() noexcept {
  std::error_code ignored;
  if (!scratch_.empty()) fs::remove(scratch_, ignored);
}

// What another library encodes may take much less than its elements: only the disk itself can say.
void JobFiles::check_space() const {
  std::map<dev_t, std::pair<std::string, std::int64_t>> needed;  // by file system: a directory on it, bytes
  auto add = [&](const std::string& where, std::int64_t bytes) {
    auto& entry = needed[disk_of(where)];
    if (entry.first.empty()) entry.first = where;
    entry.second += bytes;
  };
  if (format_ != storage_format::store)
    for (const auto& [where, bytes] : bytes_by_place(format_, unfinished_.string(), plan_.shape, chunk(), plan_.out_type, carried_)) add(where, bytes);
  if (plan_.uses_scratch) add(scratch_.parent_path().string(), plan_.scratch_bytes);
  for (const auto& [disk, entry] : needed) {
    std::int64_t there = bytes_free(entry.first);
    if (entry.second > there)
      throw refused(std::string(plan_.uses_scratch ? "the result with its scratch file" : "the result") + " takes " + format_bytes(entry.second) + ", and " +
                        format_bytes(there) + " are free on the disk of '" + entry.first + "'",
                    "Free space there, or put the target (or --scratch) on another disk");
  }
}

Shape JobFiles::chunk() const { return is_flat(format_) ? plan_.shape : plan_.target_chunk; }

Storage JobFiles::create_target() {
  lock_ = TargetLock();
  lock_ = TargetLock(target_);
  ours_ = true;
  whole_ = false;
  if (fs::exists(target_) && !overwrite_) refuse_existing();
  remove_unfinished();  // of an earlier run
  if (as_.create) return as_.create(unfinished_.string(), plan_.shape, chunk(), plan_.out_type, carried_);
  return create_storage(format_, unfinished_.string(), plan_.shape, chunk(), plan_.out_type, carried_);
}

void JobFiles::refuse_existing() const { throw usage_error("the target '" + target_.string() + "' exists", "Give another name, or --overwrite"); }

Storage JobFiles::create_scratch() {
  std::error_code ignored;
  std::filesystem::remove(scratch_, ignored);  // of an earlier run that was killed
  return create_storage(storage_format::page_file, scratch_.string(), plan_.shape, plan_.scratch_chunk, plan_.out_type);
}

void JobFiles::finish() {
  // One step of the file system, so that whoever looks sees the old target or the new one, whole.
  auto rename_as = [this](unsigned how) { return ::renameat2(AT_FDCWD, unfinished_.c_str(), AT_FDCWD, target_.c_str(), how) == 0 ? 0 : errno; };
  int status = rename_as(RENAME_NOREPLACE);
  if (status == EEXIST && overwrite_) status = rename_as(RENAME_EXCHANGE);
  else if (status == EEXIST) {
    whole_ = true;
    throw usage_error("the target '" + target_.string() + "' exists: it was made while this ran", "The result is '" + unfinished_.string() + "': rename it");
  }
  if (status == EINVAL && (overwrite_ || !fs::exists(target_))) {  // a file system without these ways
    remove_storage(target_.string());
    status = rename_as(0);
  }
  if (status != 0) throw io_error_from(status, "giving '" + unfinished_.string() + "' its name");
  sync_directory(target_.parent_path());
  remove_unfinished();  // the old target, where they changed places
  give_up(true);
}

void JobFiles::give_up(bool keep) noexcept {
  if (ours_ && !whole_ && !keep) remove_unfinished();
  ours_ = false;
  lock_ = TargetLock();
}

void JobFiles::remove_unfinished() const noexcept { remove_storage(unfinished_.string()); }

}  // namespace octavo::fft
