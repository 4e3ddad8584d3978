// SPDX-License-Identifier: Apache-2.0
// The inner product of two vectors of int32 on disk that are larger than the memory for them, from a cold cache: bytes a second.
#pragma once

#include <cstdint>
#include <filesystem>

namespace bench {

class InnerProduct {
 public:
  // `bytes`: of each vector. `memory`: for both.
  InnerProduct(std::int64_t bytes, std::int64_t memory);
  ~InnerProduct();
  InnerProduct(const InnerProduct&) = delete;
  InnerProduct& operator=(const InnerProduct&) = delete;

  double by_elements() const;
  double by_blocks() const;
  // The disk alone: both files read past the page cache, by two threads into their own buffers, and nothing else done.
  double disk() const;
  double mapped() const;  // mmap(2), by the loop that by_elements() has

 private:
  [[nodiscard]] std::string at(const char* name) const { return (folder_ / name).string(); }
  void cool() const;
  [[nodiscard]] double rate(double seconds) const { return 2.0 * static_cast<double>(bytes_) / seconds; }
  std::int64_t bytes_, memory_;
  std::filesystem::path folder_;
};

}  // namespace bench
