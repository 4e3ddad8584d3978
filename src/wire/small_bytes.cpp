// SPDX-License-Identifier: Apache-2.0
#include "octavo/wire/small_bytes.hpp"

#include <algorithm>

namespace octavo::wire {

void Body::grow(std::size_t bytes) {
  std::size_t capacity = std::max(size_ + bytes, 2 * capacity_);
  auto larger = std::make_unique_for_overwrite<std::byte[]>(capacity);
  std::memcpy(larger.get(), data(), size_);
  data_ = std::move(larger);
  capacity_ = capacity;
}

}  // namespace octavo::wire
