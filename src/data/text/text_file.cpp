// SPDX-License-Identifier: Apache-2.0
#include "data/text/text_file.hpp"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace fs = std::filesystem;

Fd open_to_read(const std::string& path, std::int64_t* bytes) {
  Fd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));  // a FIFO would wait for its other end
  if (!file) throw io_error_from(errno, "opening '" + path + "'");
  struct stat status {};
  if (::fstat(file.get(), &status) != 0) throw io_error_from(errno, "reading '" + path + "'");
  if (!S_ISREG(status.st_mode)) throw io_error("'" + path + "' is not a regular file", "Put the file back that belongs there");
  if (bytes != nullptr) *bytes = status.st_size;
  return file;
}

std::string read_bytes(const Fd& file, const std::string& path, std::int64_t most, std::int64_t at) {
  std::string bytes(static_cast<std::size_t>(most), '\0');
  std::size_t have = 0;
  while (have < bytes.size()) {
    ssize_t got = ::pread(file.get(), bytes.data() + have, bytes.size() - have, at + static_cast<off_t>(have));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw io_error_from(errno, "reading '" + path + "'");
    if (got == 0) break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

void write_bytes(const Fd& file, const std::string& path, std::string_view bytes) {
  for (std::size_t have = 0; have < bytes.size();) {
    ssize_t put = ::pwrite(file.get(), bytes.data() + have, bytes.size() - have, static_cast<off_t>(have));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) throw io_error_from(put < 0 ? errno : ENOSPC, "writing '" + path + "'");
    have += static_cast<std::size_t>(put);
  }
}

std::string read_file(const std::string& path, std::int64_t limit) {
  std::int64_t bytes = 0;
  Fd file = open_to_read(path, &bytes);
  if (bytes > limit)
    throw not_supported("'" + path + "' has " + format_bytes(bytes) + "; at most " + format_bytes(limit) + " are read", "Check that it is what its name says");
  return read_bytes(file, path, bytes);
}

Fd make_file(const std::string& path) {
  std::error_code failed;
  auto parent = fs::path(path).parent_path();
  if (!parent.empty()) fs::create_directories(parent, failed);
  if (failed) throw io_error_from(failed.value(), "making the directory '" + parent.string() + "'");
  Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
  if (!file) throw io_error_from(errno, "making '" + path + "'");
  return file;
}

void sync_file(const Fd& file, const std::string& path) {
  if (::fsync(file.get()) != 0) throw io_error_from(errno, "syncing '" + path + "'");
}

void sync_directory_of(const std::string& path) {
  auto parent = fs::path(path).parent_path().string();
  if (parent.empty()) parent = ".";
  Fd directory(::open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) throw io_error_from(errno, "opening '" + parent + "' to sync it");
  if (::fsync(directory.get()) != 0 && errno != EINVAL) throw io_error_from(errno, "syncing '" + parent + "'");  // EINVAL: it has no such thing
}

void write_file(const std::string& path, const std::string& text) {
  std::string temporary = path + ".new." + std::to_string(::getpid());
  Fd file = make_file(temporary);
  try {
    write_bytes(file, path, text);
    sync_file(file, path);
    if (::rename(temporary.c_str(), path.c_str()) != 0) throw io_error_from(errno, "renaming to '" + path + "'");
  } catch (...) {
    ::unlink(temporary.c_str());
    throw;
  }
  sync_directory_of(path);
}

std::string random_hex(std::size_t bytes) {
  std::string random(bytes, '\0'), digits;
  if (::getrandom(random.data(), bytes, 0) != static_cast<ssize_t>(bytes)) throw io_error_from(errno, "asking the system for random bytes");
  for (unsigned char byte : random) (digits += "0123456789abcdef"[byte >> 4]) += "0123456789abcdef"[byte & 15];
  return digits;
}

std::string ending_of(const std::string& path) {
  std::string ending = fs::path(path).extension().string();
  for (char& c : ending)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return ending;
}

Shape at_least_one(const Shape& shape) {
  Shape result = shape;
  for (int axis = 0; axis < result.size(); ++axis) result[axis] = std::max<std::int64_t>(1, result[axis]);
  return result;
}

void check_shape(const Shape& shape, dtype type, const std::string& what) {
  std::int64_t bytes = size_of(type);
  for (std::int64_t extent : shape)
    if (extent < 0) throw usage_error(what + ": the shape " + shape.text() + " has a negative extent", "Correct the shape");
  for (std::int64_t extent : shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes) || bytes > std::int64_t{1} << 62)
      throw usage_error(what + ": an array of shape " + shape.text() + " has more than 2^62 bytes", "Check the shape; no disk holds that");
}

void check_elements(const Shape& shape, dtype type, const std::string& what) {
  check_shape(shape, type, what);
  for (std::int64_t extent : shape)
    if (extent == 0) throw usage_error(what + ": the shape " + shape.text() + " has a zero extent: it has no elements", "Give extents of at least 1");
}

}  // namespace octavo
