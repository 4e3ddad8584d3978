// SPDX-License-Identifier: Apache-2.0
// The role of the reader, for those who read for a moment (quick.cpp, post/).
#pragma once

#include <immintrin.h>

#include "base/delay_point.hpp"
#include "process/endpoint.hpp"

namespace octavo::detail {

// This thread reads, while it lives, if nobody else does.
class Endpoint::Reading {
 public:
  // Who only sends does not count as one who reads: while he goes on with that, the progress thread is to.
  enum class to : std::uint8_t { read, send };
  explicit Reading(Endpoint& here, to what = to::read) : here_(here), was_(here.role_.is_mine()) {
    if (!was_ && what == to::read) here.count_read();
    mine_ = was_ || here.try_read();
  }
  ~Reading() {
    if (!mine_ || was_) return;
    here_.stop_reading(true);
    delay_point("reader: for a moment, has left");
    if (here_.waiting_.load() != 0) here_.wake_waiters();
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  explicit operator bool() const noexcept { return mine_; }

 private:
  Endpoint& here_;
  const bool was_;
  bool mine_ = false;
};

// While the lane is full it reads: who is to make room may wait for that, and the answers of those before lie in the other lane.
template <class Send>
const PeerLink* Endpoint::send_by_lane(const Address& to, int tries, Send send) {
  while (const auto* link = known_link(to)) {
    const auto went = send(*link);
    if (went == road::sent_now::sent) return link;
    if (went == road::sent_now::no || --tries == 0 || pumping_ != 0) return nullptr;
    pump();
    _mm_pause();
  }
  return nullptr;
}

}  // namespace octavo::detail
