// SPDX-License-Identifier: Apache-2.0
// What one end of a shm connection receives as bytes: from the ring, or from where the other process lends them, at their place of the stream.
// Threading: the one that receives.
#pragma once

#include <algorithm>
#include <optional>

#include "road/shm/lent_bulk.hpp"
#include "road/shm/ring.hpp"

namespace octavo::road {

class Inflow {
 public:
  explicit Inflow(RingReader& ring) : ring_(ring) {}
  void let_lend(LentControl* lent, const MemoryProofControl& writer, std::int32_t process) noexcept { lent_.emplace(lent, writer, process); }

  [[nodiscard]] std::uint64_t position() const noexcept { return ring_.position(); }
  [[nodiscard]] std::size_t available() const noexcept {
    const std::size_t here = ring_.available();
    return here != 0 || !lent_ ? here : static_cast<std::size_t>(lent_->left(ring_.position()));
  }
  // Some of what comes next, a slice at most of the ring.
  std::size_t read(ByteSpan into) noexcept {
    if (const std::size_t n = ring_.read(into.first(std::min(into.size(), slice_bytes))); n != 0) {
      if (lent_ && into.size() >= least_lent) lent_->try_once();
      return n;
    }
    return lent_ ? lent_->read(ring_.position(), into) : 0;
  }
  // Of what comes next, so many that are not wanted, a slice at most; how many it were.
  std::size_t pass_over(std::uint64_t most) noexcept {
    const std::size_t n = static_cast<std::size_t>(std::min<std::uint64_t>({most, ring_.available(), slice_bytes}));
    ring_.consume(n);
    return n != 0 || !lent_ ? n : lent_->pass_over(ring_.position(), most);
  }
  // Gives the room back; true if the writer waits for it and wants to be rung.
  bool release() noexcept {
    const bool ring = ring_.release(), lent = lent_ && lent_->release();
    return ring || lent;
  }

 private:
  RingReader& ring_;
  std::optional<LentReader> lent_;
};

}  // namespace octavo::road
