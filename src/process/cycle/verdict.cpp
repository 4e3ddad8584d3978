// SPDX-License-Identifier: Apache-2.0
// A cycle was found: what that does to those in it.
//
// The process that found it fails what it waits for: calls, or its collective. Then it goes on, and so do the callers in its queue. If its method throws,
// group messages of its may never come. So one that waits for a group message finds the cycle before those that wait for calls: all its group hears of it, and
// the calls in its queue are served. Where another in the cycle waits for its group message, in another group, that one fails too, and so on.
#include <algorithm>

#include "octavo/process/errors.hpp"
#include "process/cycle/cycle_finder.hpp"

namespace octavo::detail {

namespace {
std::exception_ptr cycle_of(const std::string& members) {
  const bool in_loop = members.find(in_event_loop) != std::string::npos;
  return std::make_exception_ptr(
      call_cycle("these wait for each other: " + members,
                 in_loop ? "An object is not called back while its method runs an event loop (in Python asyncio.run): write `async def`, and await there"
                         : "Let one of them start() its call, or call back only from within the call that came in; do not call a member of your group that "
                           "waits in a collective"));
}
}  // namespace

void CycleFinder::take_back(const Probe& probe, const PeerLink& from) {
  if (awaited_.group_message == nullptr && probe.by_group_messages) return;  // that one's probe comes back as this one does
  auto& search = *awaited_.search;
  search.returned.add(probe);
  if (asks_surely(probe)) search.askers.insert(from.facts.address);
  auto ways = ways_of_wait();
  auto mine = std::find_if(ways.begin(), ways.end(), [&](const Way& each) { return each.call == probe.part; });
  // Of two that wait for each other, one of which would destroy the other, that one finds it as well: it is refused, and the other goes on.
  if (awaited_.group_message == nullptr && served_.is_to_be_destroyed_by(from.facts.address)) return;
  if (mine == ways.end() || !search.returned.blocked(mine->call, mine->choices)) return;  // so nothing else is blocked by this one
  Verdict verdict{around_.self.address, awaited_.number, search.returned.members()};
  for (const auto& way : ways) {
    if (!search.returned.blocked(way.call, way.choices)) continue;
    if (way.call == 0) {
      search.cycle = cycle_of(verdict.members);
      continue;
    }
    fail(way, verdict.members);
  }
  tell_askers(std::exchange(search.askers, {}), verdict);
}

void CycleFinder::fail(const Way& way, const std::string& members) {
  try {
    calls_.send_cancel(std::make_shared<State<bool>>(), way.call, way.to.who);  // nobody waits for that answer
  } catch (const error&) {                                                      // that process is gone: the call will not run
  }
  context_.others_may_run(context_.root());  // it may come too late
  if (auto state = calls_.forget(way.call)) state->fail(cycle_of(members));
}

void CycleFinder::tell_askers(const std::set<Address>& askers, const Verdict& verdict) {
  for (const auto& each : askers) {
    wire::Outgoing out;
    wire::Encoder encoder(out);
    encoder(verdict);
    out.header.flags = verdict_flag;
    send_probe(each, out);
  }
  poller_.waiters().wake();
}

// Its probe came here in this very wait, else nothing is known of it any more.
void CycleFinder::take_verdict(wire::Message& message, const PeerLink& from) {
  Verdict verdict;
  wire::Decoder in(message);
  in(verdict);
  if (!context_.runs_methods() || awaited_.group_message == nullptr || awaited_.group_message->from != from.facts.address || !awaited_.search) return;
  auto& search = *awaited_.search;
  if (!search.passed.knows(verdict.first, verdict.wait)) return;
  search.cycle = cycle_of(verdict.members);
  tell_askers(search.passed.take_askers(verdict.first, verdict.wait), verdict);
}

}  // namespace octavo::detail
