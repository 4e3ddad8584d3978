// SPDX-License-Identifier: Apache-2.0
// The role of the reader, for those who read for a moment (quick.cpp, post/).
#pragma once

#include <thread>

#include "process/endpoint.hpp"

namespace octavo::detail {

// This thread reads, while it lives, if nobody else does.
class Endpoint::Reading {
 public:
  explicit Reading(Endpoint& here) : here_(here) {
    auto me = std::this_thread::get_id();
    std::thread::id reader = here.reader_.load(std::memory_order_relaxed);
    was_ = reader == me;
    if (!was_) here.count_read();
    mine_ = was_ || (reader == std::thread::id() && here.reader_.compare_exchange_strong(reader, me));
  }
  ~Reading() {
    if (!mine_ || was_) return;
    here_.stop_reading();
    if (here_.waiting_.load() != 0) here_.wake_waiters();
  }
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;
  explicit operator bool() const noexcept { return mine_; }

 private:
  Endpoint& here_;
  bool was_ = false, mine_ = false;
};

}  // namespace octavo::detail
