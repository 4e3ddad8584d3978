// SPDX-License-Identifier: Apache-2.0
// How threads wait for what arrives at an edge (edge.hpp): what they poll, and what they need of this thread's endpoint.
// Failure: usage_error without a Runtime.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "octavo/process/detail/exchange.hpp"

namespace octavo::detail {

// What a waiting thread polls.
struct Predicate {
  bool (*test)(const void* of);
  const void* of;
  bool operator()() const { return test(of); }
};

// Runs `then` at its own end.
template <class Then>
struct AtEnd {
  Then then;
  ~AtEnd() { then(); }
};
template <class Then>
AtEnd(Then) -> AtEnd<Then>;

// A message for an edge, as it came.
struct Posted {
  wire::SmallFrame small;
  std::optional<wire::Message> whole;  // instead, if it is no small one
  Life from;
};

// Every thread that waits at this endpoint tests its condition again.
void wake_waiters();
// Reads what has come, if no other thread reads.
void read_now();
[[nodiscard]] bool agent_is_gone() noexcept;
// Before a message's pages are taken out.
void adopt_posted(wire::Message& message);
// Waits, and reads if no other thread does: takes the next message for this edge, if that is what comes and it came the short way. False when something
// else comes, or where `here` holds.
bool take_posted(std::uint64_t edge, Posted& into, const Predicate& here, std::chrono::steady_clock::time_point deadline);
// Polls `here` for a moment, and reads nothing.
bool comes_here(const Predicate& here);
// Until `done`, or the deadline. Throws gone_error if the agent is gone. `at`: the edge that the error names.
bool wait_at(const std::string& at, const std::function<bool()>& done, std::chrono::steady_clock::time_point deadline);

}  // namespace octavo::detail
