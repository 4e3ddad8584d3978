// SPDX-License-Identifier: Apache-2.0
// The bytes of one direction that the other side has not confirmed: copied, or left where they lie and their owner kept. Positions count from the first
// byte ever sent.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <memory>

#include "octavo/base/bytes.hpp"
#include "octavo/road/link.hpp"

namespace octavo::road::steady {

class RetransmitBuffer {
 public:
  using Views = std::array<ByteView, 4>;
  explicit RetransmitBuffer(std::size_t capacity) : capacity_(capacity), bytes_(std::make_unique_for_overwrite<std::byte[]>(capacity)) {}

  [[nodiscard]] std::uint64_t confirmed() const noexcept { return confirmed_; }
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }
  [[nodiscard]] std::size_t room() const noexcept { return capacity_ - static_cast<std::size_t>(end_ - confirmed_); }

  // As much as there is room for. Without an owner it is copied.
  std::size_t put(ByteView from, const Link::Owner& owner);
  // From there on, as far as four pieces of memory go.
  [[nodiscard]] Views view(std::uint64_t from, std::size_t size) const;
  // False: so many were never sent, or they were confirmed before.
  bool confirm(std::uint64_t until);
  // What is left of others' bytes is copied, and they are let go.
  void own();
  // Nothing is looked at any more.
  void drop() { runs_.clear(); }

 private:
  // Bytes that lie together: in the ring from `in_ring` on, or at `lent`.
  struct Run {
    std::uint64_t begin, end;
    std::uint64_t in_ring;
    const std::byte* lent;
    Link::Owner owner;
  };
  [[nodiscard]] std::size_t place(std::uint64_t position) const noexcept { return static_cast<std::size_t>(position) & (capacity_ - 1); }
  void copy(ByteView from);

  std::size_t capacity_;
  std::unique_ptr<std::byte[]> bytes_;  // NOLINT(modernize-avoid-c-arrays): its size is not known before
  std::deque<Run> runs_;
  std::uint64_t confirmed_ = 0, end_ = 0, ring_end_ = 0;
};

}  // namespace octavo::road::steady
