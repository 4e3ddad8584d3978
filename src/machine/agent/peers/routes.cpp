// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/peers/routes.hpp"

#include <algorithm>
#include <utility>

#include "octavo/base/error.hpp"

namespace octavo::agent {

Routes::Routes(const Identity& self, const PeerAgents& peers, Start start, Postpone postpone)
    : self_(self), peers_(peers), start_(std::move(start)), postpone_(std::move(postpone)) {}

bool Routes::forward(const To& to, const RequesterPtr& requester, const control::Notice& request) const {
  if (!to) postpone_(requester, request);
  else if (*to != nullptr) requester->hand_to(**to, request);
  else return false;
  return true;
}

Routes::To Routes::machine(const Placement& where) const { return where.beside ? agent(where.beside.agent) : machine(where.machine); }

Routes::To Routes::machine(const std::string& name) const {
  if (self_.daemon) return nullptr;  // programs come to a lasting agent, it goes to none
  if (name.empty() || name == "local" || name == "localhost" || name == self_.machine) return nullptr;
  for (const auto& each : peers_.all())
    if (each->machine == name) return each.get();
  if (PeerAgent* through = hub(); through != nullptr) return through;
  if (!start_) throw usage_error("there is no machine '" + name + "'", "Known is '" + self_.machine + "' (this one)");
  return &start_(name);
}

Routes::To Routes::agent(std::uint64_t id, bool lasting) const {
  if (id == self_.id) return nullptr;
  if (PeerAgent* there = peers_.of_agent(id); there != nullptr) return there;
  if (self_.daemon) return std::nullopt;
  for (const auto& each : peers_.all())  // an agent behind this peer, whose objects are known
    if (auto first = each->theirs.lower_bound({id, 0, 0}); first != each->theirs.end() && first->first.agent == id) return each.get();
  if (id == peers_.own_daemon()) return own_daemon();  // it ended; its objects did not
  if (const auto* there = peers_.machine_of_daemon(id); there != nullptr) return machine(*there);
  PeerAgent* through = hub();
  if (lasting && through == nullptr && peers_.own_daemon() == 0) return own_daemon();  // it may be that of this machine, not met yet
  if (through == nullptr) through = peers_.of_kind(peer_kind::daemon);                 // of another program that has a link with the lasting agent
  if (through == nullptr && peers_.was_led_to(id)) return own_daemon();
  if (through == nullptr) throw gone_error("there is no agent " + std::to_string(id), "Its program, or its machine, is gone");
  return through;
}

Routes::To Routes::names_of(const std::string& name) const {
  auto other = machine(name);
  if (!other || *other != nullptr) return other;
  if (self_.daemon) return nullptr;
  return own_daemon();
}

// The address does not say of which machine its agent is. It may be this machine's lasting agent, which was not met yet: then that is asked first.
Routes::To Routes::named(const Address& who, const PeerAgent* from) const {
  auto leads_there = [&](const auto& each) { return each->id == who.agent || (each->is_hub() && each.get() != from); };
  const bool others = peers_.machine_of_daemon(who.agent) != nullptr || std::any_of(peers_.all().begin(), peers_.all().end(), leads_there);
  return self_.daemon || peers_.own_daemon() != 0 || others ? agent(who.agent, true) : own_daemon();
}

Routes::To Routes::own_daemon() const {
  PeerAgent* there = peers_.of_kind(peer_kind::daemon);
  return there == nullptr ? std::nullopt : To(there);
}

}  // namespace octavo::agent
