// SPDX-License-Identifier: Apache-2.0
// A file as memory, by mmap(2). Failure: std::system_error.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>

#include <cerrno>
#include <system_error>

#include "buffered/by_hand.hpp"

namespace bench {

template <class T>
class Mapped {
 public:
  Mapped(const std::string& path, std::int64_t bytes) : bytes_(static_cast<std::size_t>(bytes)) {
    const File file(path, O_RDWR);
    memory_ = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (memory_ == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mapping " + path);
  }
  ~Mapped() { ::munmap(memory_, bytes_); }
  Mapped(const Mapped&) = delete;
  Mapped& operator=(const Mapped&) = delete;
  [[nodiscard]] T* begin() const { return static_cast<T*>(memory_); }
  void flush() const { ::msync(memory_, bytes_, MS_SYNC); }

 private:
  std::size_t bytes_;
  void* memory_;
};

}  // namespace bench
