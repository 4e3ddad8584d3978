// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/services/watches.hpp"

#include <map>

#include "octavo/base/error.hpp"

namespace octavo::agent {

void Watches::watch(const RequesterPtr& requester, const control::Watch& request) {
  Child* child = requester->child();
  PeerAgent* from = requester->peer();
  control::Listing living_ones;
  std::map<std::uint64_t, control::Watch> elsewhere;  // by agent
  for (const auto& who : request.who) {
    if (const auto* dead = deaths_.find(who); dead != nullptr) {
      if (child != nullptr) processes_.tell(*child, control::Died{*dead});
      else if (from != nullptr) from->tell(talk::Died{*dead});
      continue;
    }
    if (child != nullptr) deaths_.watch(child->listener(), who);
    else if (from != nullptr) deaths_.connect(from->listener(), who);
    if (who.agent != self_.id) elsewhere[who.agent].who.push_back(who);
    else if (const Child* there = processes_.living(who)) living_ones.processes.push_back(there->facts);
  }
  for (const auto& [agent, part] : elsewhere) watch_elsewhere(requester, agent, part);
  if (from != nullptr) requester->answer(living_ones);
}

// The other agent tells this one of the deaths, and the register knows whom they concern.
void Watches::watch_elsewhere(const RequesterPtr& requester, std::uint64_t agent, const control::Watch& request) {
  PeerAgent* other = nullptr;
  try {
    other = routes_.agent(agent).value_or(nullptr);
  } catch (const gone_error&) {  // its machine was lost, and so they died before
  }
  if (other == nullptr || other == requester->peer()) return;
  control::Watch fresh;
  for (const auto& who : request.who)
    if (!other->theirs.contains(who)) fresh.who.push_back(who);
  if (fresh.who.empty()) return;
  peers_.ask(*other, requester, fresh, [this](PeerAgent& by, const control::Notice& answer, std::uint64_t) {
    const auto* living = control::get_if<control::Listing>(&answer);
    if (living == nullptr) return;
    for (const auto& facts : living->processes)
      if (deaths_.find(facts.address) == nullptr) by.theirs.emplace(facts.address, facts);
  });
}

}  // namespace octavo::agent
