// SPDX-License-Identifier: Apache-2.0
// The way from a lasting agent to an object of another machine, or of a program: lasting agents have no links with each other, so the programs that came here
// are asked, one after the other, and the one that leads there carries the connection as long as it runs.
//
//   Guides guides(identity, peers);
//   guides.ask(requester, control::Connect{0, address});
//
// Threading: the agent's. Failure: what one of them answers; gone_error, where none leads there.
#pragma once

#include <string>

#include "machine/agent/common/identity.hpp"
#include "machine/agent/peers/peer_agents.hpp"

namespace octavo::agent {

class Guides {
 public:
  Guides(const Identity& self, const PeerAgents& peers) : self_(self), peers_(peers) {}

  void ask(const RequesterPtr& requester, const control::Notice& request) const;

 private:
  struct Search;
  void ask_next(const std::shared_ptr<Search>& search) const;
  void hear(const std::shared_ptr<Search>& search, const control::Failed& why) const;

  const Identity& self_;
  const PeerAgents& peers_;
};

}  // namespace octavo::agent
