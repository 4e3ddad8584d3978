// SPDX-License-Identifier: Apache-2.0
// Requests to be told of deaths (control::Watch): members of a group watch one another. What is on other machines their agents are asked to tell.
//
//   watches.watch(requester, request);
//
// Threading: the agent's.
#pragma once

#include <optional>

#include "machine/agent/children/processes.hpp"
#include "machine/agent/common/identity.hpp"
#include "machine/agent/peers/peer_agents.hpp"
#include "machine/agent/peers/routes.hpp"

namespace octavo::agent {

class Watches {
 public:
  Watches(const Identity& self, DeathRegister& deaths, Processes& processes, PeerAgents& peers, const Routes& routes)
      : self_(self), deaths_(deaths), processes_(processes), peers_(peers), routes_(routes) {}
  // Another agent is answered with those of this agent's processes that live; of the others it is told that they died. The death of another life of an
  // object concerns nobody.
  void watch(const RequesterPtr& requester, const control::Watch& request);

 private:
  [[nodiscard]] std::optional<Obituary> death_of(const Life& life) const;
  void watch_at(PeerAgent& other, const RequesterPtr& requester, const control::Watch& request);
  void watch_elsewhere(const RequesterPtr& requester, std::uint64_t agent, const control::Watch& request);

  const Identity& self_;
  DeathRegister& deaths_;
  Processes& processes_;
  PeerAgents& peers_;
  const Routes& routes_;
};

}  // namespace octavo::agent
