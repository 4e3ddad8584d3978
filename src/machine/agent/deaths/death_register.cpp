// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/deaths/death_register.hpp"

#include <utility>

#include "machine/agent/common/attempt.hpp"

namespace octavo::agent {

namespace {
constexpr std::size_t most_remembered = 4096;  // deaths; a request about an older one is told that it is not known
}

DeathRegister::DeathRegister(Tell tell) : tell_(std::move(tell)) {}

void DeathRegister::connect(const Listener& by, const Address& who) { listeners_[by].connected.insert(who); }
void DeathRegister::watch(const Listener& by, const Address& who) { listeners_[by].watched.insert(who); }
void DeathRegister::forget(const Listener& by) { listeners_.erase(by); }

std::vector<Listener> DeathRegister::connected_with(const Address& who) const {
  std::vector<Listener> all;
  for (const auto& [listener, known] : listeners_)
    if (known.connected.contains(who)) all.push_back(listener);
  return all;
}

std::size_t DeathRegister::connections_of(const Listener& by) const {
  auto found = listeners_.find(by);
  return found == listeners_.end() ? 0 : found->second.connected.size();
}

void DeathRegister::enter(const Obituary& obituary) {
  const Address& who = obituary.facts.address;
  std::vector<Listener> concerned;
  for (auto& [listener, known] : listeners_)
    if (known.connected.erase(who) + known.watched.erase(who) != 0) concerned.push_back(listener);
  for (const auto& listener : concerned) attempt("telling of a death", [&] { tell_(listener, obituary); });
  dead_.insert_or_assign(who, obituary);
  if (dead_.size() > most_remembered) dead_.erase(dead_.begin());
}

const Obituary* DeathRegister::find(const Address& who) const {
  auto found = dead_.find(who);
  return found == dead_.end() ? nullptr : &found->second;
}

}  // namespace octavo::agent
