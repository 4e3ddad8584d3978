// SPDX-License-Identifier: Apache-2.0
#include "data/io/files/files.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "data/io/files/reserve.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo {

namespace {

std::string parent_of(const std::string& path) {
  auto parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

// Somebody removes directories while this thread makes them, or what the array's owner made is gone.
io_error removed(const std::string& path) {
  return io_error("'" + path + "' is not there any more: it was removed while it was in use", "Make it again when nobody removes it");
}

}  // namespace

int OpenFile::descriptor(bool want_direct) {
  if (want_direct && direct) return direct.get();
  if (!buffered) {
    buffered.reset(::open(path.c_str(), (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC));
    if (!buffered) throw io_error_from(errno, "opening '" + path + "'");
  }
  return buffered.get();
}

std::int64_t OpenFile::bytes() const {
  struct stat status {};
  return ::fstat(direct ? direct.get() : buffered.get(), &status) == 0 ? status.st_size : -1;
}

bool OpenFile::gone() const {
  struct stat status {};
  return ::fstat(direct ? direct.get() : buffered.get(), &status) != 0 || (status.st_nlink == 0 && !unnamed);
}

std::shared_ptr<OpenFile> Files::for_reading(const std::string& path) {
  if (auto file = cached(path, false)) return file;
  auto file = open(path, false, 0);
  if (!file && errno == ENOENT) return nullptr;
  if (!file) throw io_error_from(errno, "opening '" + path + "'");
  keep(file);
  return file;
}

std::shared_ptr<OpenFile> Files::for_writing(const std::string& path, std::int64_t file_bytes, std::span<const std::byte> fill, std::size_t fixed) {
  if (auto file = cached(path, true)) return file;
  auto file = open(path, true, 0);
  bool made = !file && errno == ENOENT;
  if (made) file = fill.empty() ? create(path, fixed) : create_filled(path, file_bytes, fill, fixed);
  if (!file) throw io_error_from(errno, "opening '" + path + "' for writing");
  if (file->bytes() < file_bytes) {  // also a file whose maker was killed between making and reserving
    try {
      reserve_file(file->descriptor(true), path, file_bytes);
    } catch (...) {
      if (made) ::unlink(path.c_str());
      throw;
    }
  }
  keep(file);
  return file;
}

void Files::refuse_direct(OpenFile& file) {
  if (no_direct_.insert(file.device).second) log_once("the file system of '" + file.path + "' refuses O_DIRECT: its data goes through the page cache");
  file.descriptor(false);
  file.direct.reset();
}

std::shared_ptr<OpenFile> Files::cached(const std::string& path, bool writable) {
  auto found = by_path_.find(path);
  if (found == by_path_.end()) return nullptr;
  auto file = *found->second;
  const bool gone = file->gone();  // another program has removed the file, and may have made a new one
  if (gone && replaced_ && ::access(path.c_str(), F_OK) == 0) replaced_();
  if (gone || (writable && !file->writable)) {
    recent_.erase(found->second);
    by_path_.erase(found);
    return nullptr;
  }
  recent_.splice(recent_.begin(), recent_, found->second);
  return file;
}

// Null with errno when it cannot be opened.
std::shared_ptr<OpenFile> Files::open(const std::string& path, bool writable, int more_flags) {
  int flags = (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK | more_flags;  // a FIFO would wait for its other end
  auto file = std::make_shared<OpenFile>();
  file->path = path;
  file->writable = writable;
  if (direct_) file->direct.reset(::open(path.c_str(), flags | O_DIRECT, 0666));
  bool refused = direct_ && !file->direct && errno == EINVAL;
  if (!direct_ || refused) {
    // Where O_DIRECT was refused the file may have been made all the same.
    file->buffered.reset(::open(path.c_str(), refused ? flags & ~O_EXCL : flags, 0666));
  }
  if (!file->direct && !file->buffered) return nullptr;
  struct stat status {};
  if (::fstat(file->direct ? file->direct.get() : file->buffered.get(), &status) != 0) return nullptr;
  if (!S_ISREG(status.st_mode)) throw io_error("'" + path + "' is not a regular file", "Put the file back that belongs there");
  if (file->direct) ::fcntl(file->direct.get(), F_SETFL, O_DIRECT);  // io_uring would give up where O_NONBLOCK is set
  else ::fcntl(file->buffered.get(), F_SETFL, 0);
  file->device = status.st_dev;
  file->unnamed = status.st_nlink == 0;
  if (refused || no_direct_.contains(file->device)) refuse_direct(*file);
  return file;
}

std::shared_ptr<OpenFile> Files::create(const std::string& path, std::size_t fixed) {
  if (path.size() <= fixed) throw removed(path);
  auto file = open(path, true, O_CREAT | O_EXCL);
  if (!file && errno == ENOENT) {
    make_directories(parent_of(path), fixed);
    file = open(path, true, O_CREAT | O_EXCL);
  }
  if (!file && errno == EEXIST) return open(path, true, 0);  // another process has made it meanwhile
  if (!file && errno == ENOENT) throw removed(path);         // its directory is gone again
  if (file) new_entry_in(parent_of(path));
  return file;
}

void Files::make_directories(const std::string& path, std::size_t fixed) {
  if (path.size() <= fixed) throw removed(path);
  if (::mkdir(path.c_str(), 0777) != 0) {
    if (errno == EEXIST) return;
    std::string parent = parent_of(path);
    if (errno != ENOENT || parent == path) throw io_error_from(errno, "making the directory '" + path + "'");
    make_directories(parent, fixed);
    if (::mkdir(path.c_str(), 0777) != 0 && errno != EEXIST) {
      if (errno == ENOENT) throw removed(path);
      throw io_error_from(errno, "making the directory '" + path + "'");
    }
  }
  new_entry_in(parent_of(path));
}

void Files::keep(const std::shared_ptr<OpenFile>& file) {
  recent_.push_front(file);
  by_path_[file->path] = recent_.begin();
  while (static_cast<int>(recent_.size()) > capacity_) {  // a request that still uses it holds it open
    by_path_.erase(recent_.back()->path);
    recent_.pop_back();
  }
}

}  // namespace octavo
