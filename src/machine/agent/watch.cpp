// SPDX-License-Identifier: Apache-2.0
// Who asked to be told of deaths besides those it is connected with: members of a group, of one another.
#include "machine/agent/loop.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

// Answers with those of ours that live; of the others it is told that they died.
void Agent::Loop::watch_for(const std::shared_ptr<Requester>& requester, const control::Watch& wish) {
  Child* child = requester->child();
  PeerAgent* from = requester->peer();
  control::Listing living_ones;
  std::map<std::uint64_t, control::Watch> elsewhere;  // by agent
  for (const auto& who : wish.who) {
    if (const auto* dead = deaths_.find(who); dead != nullptr) {
      if (child != nullptr) tell(*child, control::Died{*dead});
      else if (from != nullptr) from->tell(talk::Died{*dead});
      continue;
    }
    if (child != nullptr) deaths_.watch(child->listener(), who);
    else if (from != nullptr) deaths_.connect(from->listener(), who);
    if (who.agent != id_) elsewhere[who.agent].who.push_back(who);
    else if (const Child* there = living(who)) living_ones.processes.push_back(there->facts);
  }
  for (const auto& [agent, part] : elsewhere) watch_elsewhere(requester, agent, part);
  if (from != nullptr) requester->answer(living_ones);
}

// The other agent tells us of the deaths, and who is concerned we know.
void Agent::Loop::watch_elsewhere(const std::shared_ptr<Requester>& requester, std::uint64_t agent, const control::Watch& wish) {
  PeerAgent* other = nullptr;
  try {
    other = agent_with_id(agent).value_or(nullptr);
  } catch (const gone_error&) {  // its machine was lost, and so they died before
  }
  if (other == nullptr || other == requester->peer()) return;
  control::Watch fresh;
  for (const auto& who : wish.who)
    if (!other->theirs.contains(who)) fresh.who.push_back(who);
  if (fresh.who.empty()) return;
  ask(*other, requester, fresh, [this](PeerAgent& by, const control::Notice& answer, std::uint64_t) {
    const auto* living = control::get_if<control::Listing>(&answer);
    if (living == nullptr) return;
    for (const auto& facts : living->processes)
      if (deaths_.find(facts.address) == nullptr) by.theirs.emplace(facts.address, facts);
  });
}

}  // namespace octavo
