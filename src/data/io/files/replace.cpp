// SPDX-License-Identifier: Apache-2.0
// A file that is written whole, in place of the one that has its name.
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "data/io/files/files.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

Fd make_alone(const std::string& path) { return Fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666)); }

void put_all(const Fd& file, const std::string& path, std::span<const std::byte> bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t put = ::write(file.get(), bytes.data() + at, bytes.size() - at);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) throw io_error_from(put < 0 ? errno : ENOSPC, "writing '" + path + "'");
    at += static_cast<std::size_t>(put);
  }
}

}  // namespace

void Files::replace(const std::string& path, std::span<const std::byte> bytes, std::size_t fixed) {
  const std::string hidden = path + ".new." + std::to_string(::syscall(SYS_gettid));
  Fd file = make_alone(hidden);
  if (!file && errno == EEXIST) {  // of a process that was killed here
    ::unlink(hidden.c_str());
    file = make_alone(hidden);
  }
  if (!file && errno == ENOENT) {
    make_directories(path.substr(0, path.rfind('/')), fixed);
    file = make_alone(hidden);
  }
  if (!file) throw io_error_from(errno, "making '" + hidden + "'");
  try {
    put_all(file, path, bytes);
    if (::rename(hidden.c_str(), path.c_str()) != 0) throw io_error_from(errno, "giving '" + hidden + "' the name '" + path + "'");
  } catch (...) {
    ::unlink(hidden.c_str());
    throw;
  }
  wrote(path);
  new_entry_in(path.substr(0, path.rfind('/')));
}

}  // namespace octavo
