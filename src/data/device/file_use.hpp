// SPDX-License-Identifier: Apache-2.0
// Which other devices use the file of a device (D-9): one that caches, or holds back writes, and another that writes would not see each other's pages.
//
// Each is a shared advisory lock (fcntl(2), F_OFD_SETLK) of a byte far beyond the file's data: one byte for those that may write, one for those that cache.
// A device takes its own lock first and then looks for the other: of two that begin at once, one at least is refused. The locks end with their processes.
// Threading: one thread. Failure: refused. A file system without such locks refuses nobody.
#pragma once

#include <cstdint>
#include <string>

#include "octavo/base/fd.hpp"

namespace octavo {

class FileUse {
 public:
  // The file, or the directory of a Zarr array.
  explicit FileUse(std::string path) : path_(std::move(path)) {}

  void begin_to_cache() {
    if (!caches_) caches_ = begin(cache_byte, write_byte);
  }
  void begin_to_write() {
    if (!writes_) writes_ = begin(write_byte, cache_byte);
  }

 private:
  static constexpr std::int64_t write_byte = std::int64_t{1} << 62, cache_byte = write_byte + 1;
  bool begin(std::int64_t own, std::int64_t other);

  std::string path_;
  Fd file_;
  bool caches_ = false, writes_ = false;
};

}  // namespace octavo
