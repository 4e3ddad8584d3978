// SPDX-License-Identifier: Apache-2.0
// Which agent a request is for: by the name of a machine, by the agent that an address names, or by the machine whose names are meant.
//
//   if (routes.forward(routes.machine(where), requester, request)) return;
//   ...                                                                       // it is for this agent
//
// Threading: the agent's. Failure: usage_error (no such machine), gone_error (no such agent), what starting an agent throws, and as Requester::hand_to.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "machine/agent/common/identity.hpp"
#include "machine/agent/peers/peer_agents.hpp"
#include "octavo/machine/placement.hpp"

namespace octavo::agent {

class Routes {
 public:
  // Null: this agent. Nothing: the lasting agent of this machine, which is still to be reached; or, this is one, what only a program may lead to.
  using To = std::optional<PeerAgent*>;
  // Starts the agent of a machine that has none yet. Null function: there are no other machines.
  using Start = std::function<PeerAgent&(const std::string& machine)>;
  // Keeps a request until the lasting agent of this machine is reached; at a lasting agent: has programs fulfil it.
  using Postpone = std::function<void(const RequesterPtr& requester, const control::Notice& request)>;
  Routes(const Identity& self, const PeerAgents& peers, Start start, Postpone postpone);

  [[nodiscard]] To machine(const Placement& where) const;
  [[nodiscard]] To machine(const std::string& name) const;
  // `lasting`: of an address whose machine is not said.
  [[nodiscard]] To agent(std::uint64_t id, bool lasting = false) const;
  [[nodiscard]] To names_of(const std::string& machine) const;
  // Of an object with a name, for a request that came from `from`; null: from a process of this agent.
  [[nodiscard]] To named(const Address& who, const PeerAgent* from) const;
  // False: the request is for this agent.
  [[nodiscard]] bool forward(const To& to, const RequesterPtr& requester, const control::Notice& request) const;
  // Null: this is the program's, or there is none.
  [[nodiscard]] PeerAgent* hub() const { return peers_.of_kind(peer_kind::hub); }

 private:
  [[nodiscard]] To own_daemon() const;

  const Identity& self_;
  const PeerAgents& peers_;
  const Start start_;
  const Postpone postpone_;
};

}  // namespace octavo::agent
