// SPDX-License-Identifier: Apache-2.0
// A thread that waits for the result of a call: seen by those who look for cycles (cycle.cpp), and on the status board by `octavo ps`.
#include <algorithm>

#include "octavo/base/error.hpp"
#include "process/cycle/cycle_finder.hpp"

namespace octavo::detail {

CycleFinder::Wait::Wait(CycleFinder& finder, const StateBase* state, const AwaitedGroupMessage* group_message)
    : finder_(finder), mine_(finder.context_.runs_methods()) {
  if (mine_) before_ = std::exchange(finder.awaited_, {state, group_message, ++finder.waits_, finder.poller_.depth() + 1, {}, nullptr});
}
CycleFinder::Wait::~Wait() {
  if (mine_) finder_.awaited_ = std::move(before_);
}

bool CycleFinder::wait_for(StateBase& state, road::Deadline deadline) {
  if (state.ready()) return true;
  auto wait_until = [&](road::Deadline until) { return state.call == 0 ? wait_for_promise(state, until) : poller_.wait([&] { return state.ready(); }, until); };
  if (context_.root() == 0) return wait_shown(state, deadline, wait_until);
  Wait wait(*this, deadline == road::never ? &state : nullptr, nullptr);  // a callback that runs while we wait may wait itself
  return wait_shown(state, deadline, wait_until);
}

// What is answered soon is not worth the stores; of several calls that it waits for the first is shown.
template <class WaitUntil>
bool CycleFinder::wait_shown(const StateBase& state, road::Deadline deadline, const WaitUntil& wait_until) {
  constexpr auto soon = std::chrono::milliseconds(10);
  const auto begun = around_.now();
  const bool beside = context_.serves() && !context_.runs_methods();
  if (!around_.row.was_shown(beside, state.call)) {
    const auto first = std::min(deadline, begun + soon);
    if (wait_until(first)) return true;
    if (first == deadline) return false;
  }
  std::vector<Way> ways;
  collect_ways(state, 0, {}, ways);
  if (ways.empty()) return wait_until(deadline);
  const auto& call = ways.front();
  const auto method = calls_.look([&](const PendingCalls& pending) { return pending.method_of(call.call); });
  const OwnRow::Wait shown(around_.row, beside, {call.to.who, call.call, method}, begun);
  return wait_until(deadline);
}

// The thread that keeps the promise may know nothing of this endpoint.
bool CycleFinder::wait_for_promise(StateBase& state, road::Deadline deadline) {
  state.on_ready([home = executor_] { home->wake(); }, this);
  const auto is_over = [&] { return state.ready() || around_.links.orphaned(); };
  poller_.wait(is_over, deadline);
  if (state.ready()) return true;
  state.detach(this);
  if (around_.links.orphaned()) throw gone_error("the Runtime ended while this thread waited for a promise");
  return false;
}

}  // namespace octavo::detail
