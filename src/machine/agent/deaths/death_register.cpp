// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/deaths/death_register.hpp"

#include <utility>

#include "machine/agent/common/attempt.hpp"

namespace octavo::agent {

namespace {
constexpr std::size_t most_remembered = 4096;  // deaths; a request about an older one is told that it is not known
}

DeathRegister::DeathRegister(Tell tell) : tell_(std::move(tell)) {}

void DeathRegister::connect(const Listener& by, const Life& who) { listeners_[by].connected.insert(who); }
void DeathRegister::watch(const Listener& by, const Life& who) { listeners_[by].watched.insert(who); }
void DeathRegister::forget(const Listener& by) { listeners_.erase(by); }

std::vector<Listener> DeathRegister::connected_with(const Address& who) const {
  std::vector<Listener> all;
  for (const auto& [listener, known] : listeners_)
    if (auto first = known.connected.lower_bound(who); first != known.connected.end() && first->who == who) all.push_back(listener);
  return all;
}

std::size_t DeathRegister::connections_of(const Listener& by) const {
  auto found = listeners_.find(by);
  return found == listeners_.end() ? 0 : found->second.connected.size();
}

void DeathRegister::enter(const Obituary& obituary) {
  const Address& who = obituary.facts.address;
  auto erased = [&](std::set<Life>& lives) { return lives.erase(obituary.facts) + lives.erase(who) != 0; };
  std::vector<Listener> concerned;
  for (auto& [listener, known] : listeners_)
    if (const bool connected = erased(known.connected); erased(known.watched) || connected) concerned.push_back(listener);
  for (const auto& listener : concerned) attempt("telling of a death", [&] { tell_(listener, obituary); });
  if (who.lasting() && !obituary.machine_lost.empty()) return;  // the way to it is lost; it may live, and its agent knows
  dead_.insert_or_assign(who, obituary);
  if (dead_.size() > most_remembered) dead_.erase(dead_.begin());
}

void DeathRegister::forget_lost(std::uint64_t agent, std::optional<std::uint32_t> incarnation) {
  std::erase_if(dead_, [&](const auto& each) {
    const auto& [who, obituary] = each;
    return who.agent == agent && (!incarnation || who.incarnation == *incarnation) && !obituary.machine_lost.empty();
  });
}

const Obituary* DeathRegister::find(const Life& who) const {
  auto found = dead_.find(who.who);
  return found == dead_.end() || !who.is_of(found->second.facts) ? nullptr : &found->second;
}

}  // namespace octavo::agent
