// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/services/watches.hpp"

#include <map>

#include "machine/obituary.hpp"
#include "octavo/base/clock.hpp"
#include "octavo/base/error.hpp"

namespace octavo::agent {

void Watches::watch(const RequesterPtr& requester, const control::Watch& request) {
  Child* child = requester->child();
  PeerAgent* from = requester->peer();
  if (child != nullptr && child->named != nullptr) child->named->passivation_round = 0;  // it is a member now
  control::Listing living_ones;
  std::map<std::uint64_t, control::Watch> elsewhere;  // by agent
  for (const auto& life : request.who) {
    if (const auto dead = death_of(life)) {
      if (child != nullptr) processes_.tell(*child, control::Died{*dead});
      else if (from != nullptr) from->tell(talk::Died{*dead});
      continue;
    }
    if (child != nullptr) deaths_.watch(child->listener(), life);
    else if (from != nullptr) deaths_.watch(from->listener(), life);
    if (life.who.agent != self_.id) elsewhere[life.who.agent].who.push_back(life);
    else if (const Child* there = processes_.living(life)) living_ones.processes.push_back(there->facts);
  }
  for (const auto& [agent, part] : elsewhere) watch_elsewhere(requester, agent, part);
  if (from != nullptr) requester->answer(living_ones);
}

// Which life of a lasting object is the present one its agent knows: all others are over.
std::optional<Obituary> Watches::death_of(const Life& life) const {
  if (const auto* known = deaths_.find(life)) return *known;
  if (life.pid == 0 || life.who.agent != self_.id || processes_.living(life) != nullptr) return std::nullopt;
  const auto now = now_seconds();
  return Obituary{{life.who, "an object with a name", self_.machine, life.pid, now}, now, status_taken, false, {}, {}, false};
}

void Watches::watch_elsewhere(const RequesterPtr& requester, std::uint64_t agent, const control::Watch& request) {
  Routes::To to = nullptr;
  try {
    to = routes_.agent(agent);
  } catch (const gone_error&) {  // its machine was lost, and so they died before
  }
  if (to && *to != nullptr) return watch_at(**to, requester, request);
  if (to) return;
  for (const auto& each : peers_.leading_to(agent, *requester)) watch_at(*each, requester, request);
}

// The other agent tells this one of the deaths, and the register knows whom they concern.
void Watches::watch_at(PeerAgent& other, const RequesterPtr& requester, const control::Watch& request) {
  if (&other == requester->peer()) return;
  control::Watch fresh;
  for (const auto& life : request.who)
    if (auto known = other.theirs.find(life.who); known == other.theirs.end() || !life.is_of(known->second)) fresh.who.push_back(life);
  if (fresh.who.empty()) return;
  peers_.ask(other, requester, fresh, [this](PeerAgent& by, const control::Notice& answer, const PeerAgent::FarEnd&) {
    const auto* living = control::get_if<control::Listing>(&answer);
    if (living == nullptr) return;
    for (const auto& facts : living->processes)
      if (deaths_.find(facts) == nullptr) by.theirs.emplace(facts.address, facts);
  });
}

}  // namespace octavo::agent
