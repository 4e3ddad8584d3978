// SPDX-License-Identifier: Apache-2.0
// The role of the reader, for those who read for a moment (quick.cpp, post/).
#pragma once

#include "process/endpoint.hpp"

namespace octavo::detail {

// This thread reads, while it lives, if nobody else does.
class Endpoint::Reading {
 public:
  explicit Reading(Endpoint& here) : here_(here), was_(here.role_.is_mine()) {
    if (!was_) here.count_read();
    mine_ = was_ || here.try_read();
  }
  ~Reading() {
    if (!mine_ || was_) return;
    here_.stop_reading(true);
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

}  // namespace octavo::detail
