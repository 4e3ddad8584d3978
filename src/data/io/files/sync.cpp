// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "data/io/files/files.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

// Opened anew, because the cache may have closed it since: the kernel keeps a failed write-back for the next fsync.
void flush(const std::string& path, bool directory) {
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | (directory ? O_DIRECTORY : 0)));
  if (!file && errno == ENOENT) return;  // removed since: nothing to keep
  if (!file) throw io_error_from(errno, "opening '" + path + "' to sync it");
  int result = 0;
  do result = directory ? ::fsync(file.get()) : ::fdatasync(file.get());
  while (result != 0 && errno == EINTR);
  // Some file systems cannot sync a directory, and say EINVAL.
  if (result != 0 && !(directory && errno == EINVAL)) throw io_error_from(errno, "syncing '" + path + "'");
}

// Each fdatasync is a commit of the journal: beyond this many files one sync of their file systems takes less (measured on ext4: 2 ms a file).
constexpr std::size_t most_single = 32;

// Errors of a write-back that failed since the descriptor was opened are told by syncfs; older ones by the files' own descriptors.
void flush_file_systems(const std::set<std::string>& files) {
  std::set<dev_t> done;
  for (const auto& path : files) {
    struct stat facts {};
    if (::stat(path.c_str(), &facts) != 0 || done.contains(facts.st_dev)) continue;
    Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file) throw io_error_from(errno, "opening '" + path + "' to sync its file system");
    if (::syncfs(file.get()) != 0) throw io_error_from(errno, "syncing the file system of '" + path + "'");
    done.insert(facts.st_dev);
  }
}

}  // namespace

void Files::wrote(const std::string& path) {
  std::lock_guard lock(dirty_mutex_);
  dirty_files_.insert(path);
}

void Files::new_entry_in(const std::string& directory) {
  std::lock_guard lock(dirty_mutex_);
  dirty_directories_.insert(directory);
}

void Files::sync() {
  std::set<std::string> files, directories;
  {
    std::lock_guard lock(dirty_mutex_);
    files.swap(dirty_files_);
    directories.swap(dirty_directories_);
  }
  try {
    if (files.size() > most_single) return flush_file_systems(files);
    for (const auto& path : files) flush(path, false);
    for (const auto& path : directories) flush(path, true);
  } catch (...) {  // the next call tries all of them again
    std::lock_guard lock(dirty_mutex_);
    dirty_files_.merge(files);
    dirty_directories_.merge(directories);
    throw;
  }
}

}  // namespace octavo
