// SPDX-License-Identifier: Apache-2.0
// How many forks are to wait for objects that are not asked for yet, and when they may be made: as many as objects were asked for at once lately, when those
// are likely made.
//
//   SpareDemand demand(std::chrono::seconds(5));
//   demand.asked(now, had_a_spare);
//   if (demand.is_quiet(now)) make_up_to(demand.wanted(now));
//
// Threading: one.
#pragma once

#include <algorithm>
#include <chrono>

namespace octavo::agent {

class SpareDemand {
 public:
  using Time = std::chrono::steady_clock::time_point;
  using Duration = std::chrono::steady_clock::duration;
  static constexpr unsigned most = 16;

  // What was asked for counts for `memory` at least, and for twice as long at most.
  explicit SpareDemand(Duration memory) : memory_(memory) {}

  void asked(Time now, bool had_one) noexcept {
    roll(now);
    at_once_ = is_quiet(now) ? 1 : std::min(at_once_ + 1, most);
    begun_at_ = std::max(begun_at_, now) + time_to_begin;
    peak_ = std::max(peak_, at_once_);
    if (!had_one) peak_ = std::min(std::max(peak_, before_) + 1, most);  // they were not made in time
  }
  [[nodiscard]] bool is_quiet(Time now) const noexcept { return now >= quiet_at(); }
  [[nodiscard]] Time quiet_at() const noexcept { return begun_at_ + 2 * time_to_begin; }
  [[nodiscard]] unsigned wanted(Time now) noexcept {
    roll(now);
    return std::max(peak_, before_);
  }
  // When fewer may be wanted.
  [[nodiscard]] Time forgets_at() const noexcept { return until_; }
  // Spares are of no use now.
  void forget() noexcept { peak_ = before_ = 0; }

 private:
  static constexpr Duration time_to_begin = std::chrono::milliseconds(1);  // of an object that has the processors for itself
  void roll(Time now) noexcept {
    if (now < until_) return;
    before_ = now < until_ + memory_ ? peak_ : 0;
    peak_ = 0;
    until_ = now + memory_;
  }

  const Duration memory_;
  Time begun_at_{};  // all that was asked for has, most likely
  Time until_{};
  unsigned at_once_ = 0, peak_ = 0, before_ = 0;
};

}  // namespace octavo::agent
