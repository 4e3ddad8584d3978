// SPDX-License-Identifier: Apache-2.0
// The search for cycles where the method that runs stands in an event loop of its own (LoopWaits), and another thread reads. No call runs there meanwhile, no
// callback either: each of them waits for what the loop awaits.
//
// What else may end the loop (a timer, another thread) is not known: it is taken to need all that it awaits.
// Threading: the reader, which is not the thread of methods; while it has the role, no method begins or ends.
#include <algorithm>

#include "process/cycle/cycle_finder.hpp"

namespace octavo::detail {

namespace {
constexpr std::uint64_t number_of_wait = 0;  // those that begin in Octavo have others
}  // namespace

std::vector<CycleFinder::Way> CycleFinder::ways_of_loop() {
  std::vector<Way> ways;
  if (loop_.waits == nullptr) return ways;
  for (const auto& each : loop_.waits->of(served_.running())) collect_ways(*each, number_of_wait, {}, ways);
  for (auto& each : ways) each.how = in_event_loop;
  return ways;
}

road::Deadline CycleFinder::look_beside(road::Deadline deadline) {
  const auto ways = ways_of_loop();
  if (ways.empty()) {
    loop_.next_probe = road::Deadline();
    return deadline;
  }
  if (is_due(loop_.next_probe)) send_probes(number_of_wait, ++loop_.round, ways);
  return std::min(deadline, loop_.next_probe);
}

void CycleFinder::take_beside(const Probe& probe, std::uint64_t call, const PeerLink& from) {
  if (probe.for_group_message || probe.alone) return;
  const auto& caller = from.facts.address;
  const auto ways = ways_of_loop();
  if (ways.empty() || (!served_.is_queued(caller, call) && !served_.depth_of_running(caller, call))) return;
  if (probe.first != around_.self.address) {
    if (!loop_.passed.add(probe, caller)) return;
    for (const auto& way : ways) pass_on(probe, way);
    return;
  }
  if (probe.wait != number_of_wait || probe.by_group_messages || !probe.choices.empty()) return;
  auto mine = std::find_if(ways.begin(), ways.end(), [&](const Way& each) { return each.call == probe.part; });
  if (mine == ways.end()) return;
  Returned returned;
  returned.add(probe);
  fail(*mine, returned.members());
}

}  // namespace octavo::detail
