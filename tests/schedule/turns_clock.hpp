// SPDX-License-Identifier: Apache-2.0
// The clock of an endpoint on a schedule: its thread sleeps as Turns has it, and the time is that of the schedule.
#pragma once

#include "process/peers/surroundings.hpp"
#include "schedule/turns.hpp"

namespace octavo::schedule {

class TurnsClock final : public detail::ReaderClock {
 public:
  explicit TurnsClock(Turns& turns) : turns_(turns) {}
  bool sleep(const std::function<bool()>& ready, road::Deadline deadline) override { return turns_.sleep(ready, deadline); }
  [[nodiscard]] road::Clock::time_point now() const override { return turns_.now(); }

 private:
  Turns& turns_;
};

}  // namespace octavo::schedule
