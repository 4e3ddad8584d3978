// SPDX-License-Identifier: Apache-2.0
// When a lasting agent ends: nobody has used it for a while, or it was told to; then its objects have time to save themselves.
//
//   Retirement retirement(stay, patience, now);
//   retirement.used(now);
//   switch (retirement.look(has_guests, objects_are_saving, now)) ...
//
// Threading: one.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace octavo::agent {

class Retirement {
 public:
  using Time = std::chrono::steady_clock::time_point;
  enum class stage : std::uint8_t {
    stays,
    unused,   // for so long that it is to begin()
    saving,   // its objects save themselves
    over,     // all have
    too_late  // some have not, and had long enough
  };
  Retirement(std::chrono::seconds stay, std::chrono::seconds patience, Time now) : stay_(stay), patience_(patience), last_use_(now) {}

  void used(Time now) noexcept { last_use_ = now; }
  // False: it has begun before.
  bool begin(Time now) noexcept {
    if (since_) return false;
    since_ = now;
    return true;
  }
  [[nodiscard]] stage look(bool has_guests, bool objects_live, Time now) const noexcept {
    if (!since_) return has_guests || now - last_use_ < stay_ ? stage::stays : stage::unused;
    if (!objects_live) return stage::over;
    return now - *since_ < patience_ ? stage::saving : stage::too_late;
  }

 private:
  std::chrono::seconds stay_, patience_;
  Time last_use_;
  std::optional<Time> since_;
};

}  // namespace octavo::agent
