// SPDX-License-Identifier: Apache-2.0
// How a thread of Python waits in C++ for what another process does: without the interpreter's lock and the object's turn, looking at signals and at the end
// of the Runtime ten times a second.
//
//   if (!wait_in_steps(timeout, [&](Clock::duration time) { return writer.post_for(value, time); })) return false;   // timed out
//
// Threading: with the interpreter's lock. Failure: what the step throws, what a handler of a signal raises, gone_error at the end of the Runtime.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

#include "lock.hpp"
#include "objects/deferred_interrupt.hpp"
#include "objects/turn.hpp"
#include "octavo/process/detail/other_languages.hpp"
#include "signals.hpp"

namespace octavo::bindings {

using WaitClock = std::chrono::steady_clock;
inline constexpr std::chrono::milliseconds between_looks{100};

inline WaitClock::time_point wait_deadline(std::optional<double> seconds) {
  return seconds ? detail::deadline_after(std::chrono::duration<double>(std::max(0.0, *seconds))) : detail::forever();
}

// A wait that finds no Runtime, for it has ended just now, is told that it ended.
template <class Wait>
auto told_of_end(const Wait& wait) {
  try {
    return wait();
  } catch (const usage_error&) {
    check_runtime_goes_on();
    throw;
  }
}

// `step(time)`: true when it is done. At least one. False at the deadline.
template <class Step>
bool wait_in_steps(std::optional<double> seconds, const Step& step) {
  const auto deadline = wait_deadline(seconds);
  const TurnGivenUp given_up;
  const Unlocked unlocked;
  const detail::Visit visit;
  for (;;) {
    const auto now = WaitClock::now();
    if (told_of_end([&] { return step(std::max(WaitClock::duration(0), std::min(deadline, now + between_looks) - now)); })) return true;
    if (WaitClock::now() >= deadline) return false;
    check_runtime_goes_on();
    if (may_be_interrupted()) look_at_signals();
  }
}

}  // namespace octavo::bindings
