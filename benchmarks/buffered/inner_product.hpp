// SPDX-License-Identifier: Apache-2.0
// The inner product of x.raw and y.raw, int32 that are all 2 and all 3, larger than the memory for them: each way one loop.
#pragma once

#include <cstdint>
#include <string>

namespace bench {

struct Vectors {
  std::string folder;
  std::int64_t bytes, memory;  // of each vector; for both
  [[nodiscard]] std::int64_t count() const { return bytes / 4; }
};

std::int64_t inner_by_elements(const Vectors& of);
std::int64_t inner_by_blocks(const Vectors& of);
std::int64_t inner_by_mmap(const Vectors& of);
std::int64_t inner_by_hand(const Vectors& of);

}  // namespace bench
