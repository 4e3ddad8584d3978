// SPDX-License-Identifier: Apache-2.0
// For how long a thread polls before it sleeps: longer where polling has paid, or would have, and next to nothing where it has not.
#pragma once

#include <algorithm>
#include <chrono>

namespace octavo::road::net {

class AdaptiveSpin {
 public:
  using Time = std::chrono::steady_clock::duration;
  [[nodiscard]] Time time() const noexcept { return time_; }
  void paid() noexcept { time_ = std::min(longest, 2 * time_); }
  void was_in_vain() noexcept { time_ = std::max(shortest, time_ / 2); }
  // After that, so long.
  void slept(Time how_long) noexcept {
    if (how_long < nap) time_ = std::min(longest, 8 * time_);
  }

 private:
  static constexpr Time shortest = std::chrono::microseconds(2), longest = std::chrono::microseconds(150), nap = std::chrono::microseconds(150);
  Time time_ = shortest;
};

}  // namespace octavo::road::net
