// SPDX-License-Identifier: Apache-2.0
// A new file that is full of an element before it has its name: what another process writes to it must not be overwritten.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <vector>

#include "data/io/files/files.hpp"
#include "data/io/files/reserve.hpp"
#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

void put_everywhere(int descriptor, const std::string& path, std::int64_t bytes, std::span<const std::byte> element) {
  std::vector<std::byte> block(64 * KiB);  // of whole elements: their sizes are powers of two
  for (std::size_t at = 0; at < block.size(); at += element.size()) std::memcpy(block.data() + at, element.data(), element.size());
  for (std::int64_t at = 0; at < bytes;) {
    // A write may have ended within an element.
    auto begin = static_cast<std::size_t>(at) % element.size();
    auto length = std::min<std::size_t>(block.size() - begin, static_cast<std::size_t>(bytes - at));
    ssize_t put = ::pwrite(descriptor, block.data() + begin, length, at);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) throw io_error_from(put < 0 ? errno : ENOSPC, "filling the new file '" + path + "'");
    at += put;
  }
}

// 0, or the number of the error: EEXIST where there is such a file by now.
int give_name(const std::string& from, const std::string& to) {
  if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (::link(from.c_str(), to.c_str()) != 0) return errno;  // a file system without that way: NFS
  ::unlink(from.c_str());
  return 0;
}

}  // namespace

std::shared_ptr<OpenFile> Files::create_filled(const std::string& path, std::int64_t file_bytes, std::span<const std::byte> fill, std::size_t fixed) {
  std::string hidden = path + ".new." + std::to_string(::syscall(SYS_gettid));
  ::unlink(hidden.c_str());  // of a process that was killed here
  auto file = create(hidden, fixed);
  if (!file) throw io_error_from(errno, "making '" + hidden + "'");
  try {
    int descriptor = file->descriptor(false);
    reserve_file(descriptor, path, file_bytes);
    put_everywhere(descriptor, path, file_bytes, fill);
    int status = give_name(hidden, path);
    if (status == 0) {
      file->path = path;
      return file;
    }
    if (status != EEXIST) throw io_error_from(status, "giving '" + hidden + "' the name '" + path + "'");
  } catch (...) {
    ::unlink(hidden.c_str());
    throw;
  }
  ::unlink(hidden.c_str());
  return open(path, true, 0);  // another process has made it meanwhile
}

}  // namespace octavo
