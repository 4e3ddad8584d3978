// SPDX-License-Identifier: Apache-2.0
// Where received bytes are to go: pieces of memory, filled from the front.
//
//   Rooms rooms(into);
//   while (rooms.size() != 0 && !bytes.empty()) bytes = bytes.subspan(rooms.put(bytes));
//
// Threading: one thread at a time.
#pragma once

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

#include "octavo/base/bytes.hpp"

namespace octavo::road::files {

class Rooms {
 public:
  explicit Rooms(std::span<const ByteSpan> into) : left_(into.begin(), into.end()) {
    for (auto each : left_) size_ += each.size();
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  // The first `most` of those that are left, behind what `pieces` holds: their size.
  std::size_t add_to(std::vector<ByteSpan>& pieces, std::size_t most) const {
    std::size_t added = 0;
    for (auto each : left_) {
      if (each.empty()) continue;
      if (most-- == 0) break;
      added += pieces.emplace_back(each).size();
    }
    return added;
  }
  // As many as there is room for: how many.
  std::size_t put(ByteView bytes) {
    std::size_t done = 0;
    for (auto each : left_) {
      const std::size_t n = std::min(each.size(), bytes.size() - done);
      if (n != 0) std::memcpy(each.data(), bytes.data() + done, n);
      done += n;
    }
    pass(done);
    return done;
  }
  // So many are there already.
  void pass(std::size_t bytes) {
    size_ -= bytes;
    for (auto& each : left_) {
      const std::size_t n = std::min(each.size(), bytes);
      each = each.subspan(n);
      bytes -= n;
    }
  }

 private:
  std::vector<ByteSpan> left_;
  std::size_t size_ = 0;
};

}  // namespace octavo::road::files
