// SPDX-License-Identifier: Apache-2.0
// The locks of the home, ov://home/..., between all programs of this user on a machine: its lasting agent keeps them, and the agents on the way pass requests
// on, and the deaths of the processes that asked. If the lasting agent is killed, who waits is told so, for it is not known any more who has what; the agents
// tell the next one what their processes hold.
//
//   locks.take(requester, request);              // answered now, or when it is decided
//   locks.process_died(obituary);
//   locks.lasting_agent_lost();                  // the next one is told what is held here
//
// Threading: the agent's. Failure: as HomeLockTable; gone_error (the lasting agent was killed meanwhile).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "machine/agent/peers/routes.hpp"
#include "machine/lasting/home/home_lock_table.hpp"

namespace octavo::agent {

class HomeLocks {
 public:
  // `keeps`: of a lasting agent.
  HomeLocks(bool keeps, const Routes& routes, PeerAgents& peers, DeathRegister& deaths);
  void take(const RequesterPtr& requester, const control::HomeLockNotice& notice);
  void process_died(const Obituary& obituary);
  // If something is held here, the next one is begun, and told.
  void lasting_agent_lost() { tell_held(); }

 private:
  struct Held {
    RequesterPtr by;
    control::HomeLockRequest how;
  };
  using Holding = std::tuple<Address, lock_kind, std::string>;
  template <class Request>
  void pass_on(const RequesterPtr& requester, const Request& request);
  void fulfil(const RequesterPtr& requester, const control::HomeLockRequest& request);
  void fulfil(const RequesterPtr& requester, const control::HomeLockSaid& said);
  void note(const RequesterPtr& requester, const control::HomeLockRequest& request, const control::Notice& answer);
  void note(const RequesterPtr& requester, const control::HomeLockSaid& said, const control::Notice& answer);
  void let_go(const Address& who, lock_kind kind, const std::string& name, std::uint64_t how_many);
  void tell_held();

  const Routes& routes_;
  PeerAgents& peers_;
  DeathRegister& deaths_;
  std::optional<HomeLockTable> table_;
  std::multimap<Holding, Held> held_;  // by processes of this agent, or of those behind it, as another was asked and said
};

}  // namespace octavo::agent
