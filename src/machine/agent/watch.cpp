// SPDX-License-Identifier: Apache-2.0
// Who asked to be told of deaths besides those it is connected with: members of a group, of one another.
#include "machine/agent/loop.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

void Agent::Loop::watch_for(Child& asker, const control::Watch& wish) {
  std::map<std::uint64_t, control::Watch> abroad;  // by agent
  for (const auto& who : wish.who) {
    if (auto dead = dead_.find(who); dead != dead_.end()) {
      control::send(asker.run.control.get(), control::Died{dead->second});
      continue;
    }
    asker.watches.insert(who);
    if (who.agent != id_) abroad[who.agent].who.push_back(who);
  }
  for (const auto& [agent, part] : abroad) watch_abroad(asker.facts, agent, part);
}

// The other agent tells us of the deaths, and who of ours is concerned we know.
void Agent::Loop::watch_abroad(const ProcessFacts& asker, std::uint64_t agent, const control::Watch& wish) {
  Neighbour* other = nullptr;
  try {
    other = neighbour_of(agent);
  } catch (const gone_error&) {  // its machine was lost, and so they died before
  }
  if (other == nullptr) return;
  control::Watch fresh;
  for (const auto& who : wish.who)
    if (!other->theirs.contains(who)) fresh.who.push_back(who);
  if (fresh.who.empty()) return;
  ask(*other, asker, fresh, [this, other](const control::Notice& answer, std::uint64_t) {
    const auto* living = std::get_if<control::Listing>(&answer);
    if (living == nullptr || !knows_neighbour(*other)) return;
    for (const auto& facts : living->processes)
      if (!dead_.contains(facts.address)) other->theirs.emplace(facts.address, facts);
  });
}

// Answers with those that live; of the others it is told that they died.
void Agent::Loop::serve_watch(Neighbour& from, const talk::Ask& asked, const control::Watch& wish) {
  if (wish.who.empty()) return from.tell(talk::Answer{asked.request, control::Listing{}});
  for (const auto& who : wish.who) from.knows.insert(who);
  if (Neighbour* beyond = neighbour_of(wish.who.front().agent)) {
    if (beyond == &from) throw gone_error("the agent of " + from.machine + " was asked for something that is not there");
    return ask(*beyond, asked.asker, wish, [this, &from, beyond, request = asked.request](const control::Notice& answer, std::uint64_t) {
      if (const auto* living = std::get_if<control::Listing>(&answer); living != nullptr && knows_neighbour(*beyond))
        for (const auto& facts : living->processes) beyond->theirs.emplace(facts.address, facts);
      if (knows_neighbour(from)) from.tell(talk::Answer{request, answer});
    });
  }
  control::Listing living_ones;
  for (const auto& who : wish.who) {
    if (const Child* child = living(who)) living_ones.processes.push_back(child->facts);
    else if (auto dead = dead_.find(who); dead != dead_.end()) from.tell(talk::Died{dead->second});
  }
  from.tell(talk::Answer{asked.request, living_ones});
}

}  // namespace octavo
