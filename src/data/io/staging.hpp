// SPDX-License-Identifier: Apache-2.0
// The buffers through which a disk engine moves everything: one private mapping in huge pages, which makes the disk here 2 to 3 times as
// fast as 4 KiB pages do. Its size is exactly count * buffer_bytes; it is mapped by the first call of map().
#pragma once

#include <cstddef>
#include <cstdint>

namespace octavo {

class Staging {
 public:
  Staging(int count, std::int64_t buffer_bytes) : count_(count), buffer_bytes_(buffer_bytes) {}
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  void map();
  [[nodiscard]] std::byte* buffer(int index) const { return memory_ + index * buffer_bytes_; }

 private:
  [[nodiscard]] std::size_t bytes() const { return static_cast<std::size_t>(count_ * buffer_bytes_); }
  int count_;
  std::int64_t buffer_bytes_;
  std::byte* memory_ = nullptr;
};

}  // namespace octavo
