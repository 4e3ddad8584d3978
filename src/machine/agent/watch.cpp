// SPDX-License-Identifier: Apache-2.0
// Who asked to be told of deaths besides those it is connected with: members of a group, of one another.
#include "machine/agent/loop.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

// Answers with those of ours that live; of the others it is told that they died.
void Agent::Loop::watch_for(const std::shared_ptr<Asker>& asker, const control::Watch& wish) {
  Child* child = asker->child();
  Neighbour* from = asker->neighbour();
  control::Listing living_ones;
  std::map<std::uint64_t, control::Watch> abroad;  // by agent
  for (const auto& who : wish.who) {
    if (const auto* dead = deaths_.find(who); dead != nullptr) {
      if (child != nullptr) tell(*child, control::Died{*dead});
      else if (from != nullptr) from->tell(talk::Died{*dead});
      continue;
    }
    if (child != nullptr) deaths_.watch(child->listener(), who);
    else if (from != nullptr) deaths_.connect(from->listener(), who);
    if (who.agent != id_) abroad[who.agent].who.push_back(who);
    else if (const Child* there = living(who)) living_ones.processes.push_back(there->facts);
  }
  for (const auto& [agent, part] : abroad) watch_abroad(asker, agent, part);
  if (from != nullptr) asker->answer(living_ones);
}

// The other agent tells us of the deaths, and who is concerned we know.
void Agent::Loop::watch_abroad(const std::shared_ptr<Asker>& asker, std::uint64_t agent, const control::Watch& wish) {
  Neighbour* other = nullptr;
  try {
    other = neighbour_of(agent).value_or(nullptr);
  } catch (const gone_error&) {  // its machine was lost, and so they died before
  }
  if (other == nullptr || other == asker->neighbour()) return;
  control::Watch fresh;
  for (const auto& who : wish.who)
    if (!other->theirs.contains(who)) fresh.who.push_back(who);
  if (fresh.who.empty()) return;
  ask(*other, asker, fresh, [this](Neighbour& by, const control::Notice& answer, std::uint64_t) {
    const auto* living = std::get_if<control::Listing>(&answer);
    if (living == nullptr) return;
    for (const auto& facts : living->processes)
      if (deaths_.find(facts.address) == nullptr) by.theirs.emplace(facts.address, facts);
  });
}

}  // namespace octavo
