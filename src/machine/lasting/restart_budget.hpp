// SPDX-License-Identifier: Apache-2.0
// The accidents of one object with a name: how its process died last, and how often it was brought back lately. Destroyed, or at rest in its
// saved state, is none. Kept by its agent for as long as that lives.
#pragma once

#include <chrono>
#include <deque>

#include "octavo/machine/address.hpp"
#include "octavo/machine/placement.hpp"

namespace octavo {

class RestartBudget {
 public:
  using Time = std::chrono::steady_clock::time_point;
  void add(Obituary how) {
    last_ = std::move(how);
    down_ = true;
  }
  // Nobody has brought it back since.
  [[nodiscard]] bool down() const noexcept { return down_; }
  [[nodiscard]] const Obituary& last() const noexcept { return last_; }
  // It comes back now, and that is counted; false if the policy does not allow it once more.
  bool come_back(const Keeping& policy, Time now = std::chrono::steady_clock::now()) {
    while (!back_.empty() && std::chrono::duration<double>(now - back_.front()).count() > policy.restart_seconds) back_.pop_front();
    if (back_.size() >= policy.restarts) return false;
    back_.push_back(now);
    down_ = false;
    return true;
  }

 private:
  Obituary last_;
  bool down_ = false;
  std::deque<Time> back_;
};

}  // namespace octavo
