// SPDX-License-Identifier: Apache-2.0
// The bytes of one direction that the other side has not confirmed. Positions count from the first byte ever sent.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>

#include "octavo/base/bytes.hpp"

namespace octavo::road::steady {

class Kept {
 public:
  explicit Kept(std::size_t capacity) : capacity_(capacity), bytes_(std::make_unique_for_overwrite<std::byte[]>(capacity)) {}

  [[nodiscard]] std::uint64_t confirmed() const noexcept { return confirmed_; }
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }
  [[nodiscard]] std::size_t room() const noexcept { return capacity_ - static_cast<std::size_t>(end_ - confirmed_); }

  // As much as there is room for.
  std::size_t put(ByteView from) {
    std::size_t size = std::min(from.size(), room()), at = place(end_), first = std::min(size, capacity_ - at);
    if (size == 0) return 0;
    std::memcpy(bytes_.get() + at, from.data(), first);
    std::memcpy(bytes_.get(), from.data() + first, size - first);
    end_ += size;
    return size;
  }
  [[nodiscard]] std::array<ByteView, 2> look(std::uint64_t from, std::size_t size) const {
    std::size_t at = place(from), first = std::min(size, capacity_ - at);
    return {ByteView(bytes_.get() + at, first), ByteView(bytes_.get(), size - first)};
  }
  // False: so many were never sent, or they were confirmed before.
  bool confirm(std::uint64_t until) {
    if (until < confirmed_ || until > end_) return false;
    confirmed_ = until;
    return true;
  }

 private:
  [[nodiscard]] std::size_t place(std::uint64_t position) const noexcept { return static_cast<std::size_t>(position) & (capacity_ - 1); }
  std::size_t capacity_;
  std::unique_ptr<std::byte[]> bytes_;  // NOLINT(modernize-avoid-c-arrays): its size is not known before
  std::uint64_t confirmed_ = 0, end_ = 0;
};

}  // namespace octavo::road::steady
