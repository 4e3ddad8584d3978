// SPDX-License-Identifier: Apache-2.0
// What has come for a process whose ring is full: at most one window, in memory that is lent by the relay while it is needed.
#pragma once

#include <cstring>
#include <vector>

#include "octavo/wire/frame.hpp"
#include "road/shm/ring.hpp"

namespace octavo::road::net {

// Blocks of one window each. A few are kept for the next channel that needs one; their memory is touched only as far as it is used.
class Blocks {
 public:
  explicit Blocks(std::size_t bytes) : bytes_(bytes) {}
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  wire::Buffer take() {
    if (free_.empty()) return wire::Buffer(bytes_);
    wire::Buffer block = std::move(free_.back());
    free_.pop_back();
    return block;
  }
  void give_back(wire::Buffer block) {
    if (free_.size() < most_kept) free_.push_back(std::move(block));
  }

 private:
  static constexpr std::size_t most_kept = 4;
  std::size_t bytes_;
  std::vector<wire::Buffer> free_;
};

class Backlog {
 public:
  [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

  // The caller has seen to it that no more than a window is ever here.
  void put(ByteView from, Blocks& blocks) {
    if (from.empty()) return;
    if (block_.size() == 0) block_ = blocks.take();
    std::size_t at = (begin_ + size_) % block_.size(), first = std::min(from.size(), block_.size() - at);
    std::memcpy(block_.span().data() + at, from.data(), first);
    if (from.size() > first) std::memcpy(block_.span().data(), from.data() + first, from.size() - first);
    size_ += from.size();
  }

  // Moves what fits; publish() is the caller's. Says how many bytes that were.
  std::size_t move_to(RingWriter& ring, Blocks& blocks) {
    std::size_t moved = 0;
    while (size_ != 0) {
      std::size_t n = ring.write(ByteView(block_.span()).subspan(begin_, std::min(size_, block_.size() - begin_)));
      if (n == 0) return moved;
      begin_ = (begin_ + n) % block_.size();
      size_ -= n;
      moved += n;
    }
    drop(blocks);
    return moved;
  }

  void drop(Blocks& blocks) {
    if (block_.size() != 0) blocks.give_back(std::move(block_));
    block_ = {};
    begin_ = size_ = 0;
  }

 private:
  wire::Buffer block_;
  std::size_t begin_ = 0, size_ = 0;
};

}  // namespace octavo::road::net
