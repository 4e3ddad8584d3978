// SPDX-License-Identifier: Apache-2.0
// Putting an object to rest that nobody calls, without losing a call: first all that are connected with it close their connections, each of them only if
// nothing is under way there. Then no call can be on its way, and the next one asks for a connection, to the object's next life.
//
//   passivation.disconnect(requester, address, [](bool all) { ... });     // both told later, or at once
//   passivation.disconnected(answer);      passivation.process_died(object);
//
// Threading: the agent's.
#pragma once

#include <functional>
#include <map>

#include "machine/agent/children/processes.hpp"
#include "machine/agent/peers/peer_agents.hpp"

namespace octavo::agent {

class Passivation {
 public:
  Passivation(const DeathRegister& deaths, Processes& processes, PeerAgents& peers) : deaths_(deaths), processes_(processes), peers_(peers) {}

  // An object with a name says that it is idle. `rest` is called when all have closed theirs, unless it was of use meanwhile.
  void idle(const RequesterPtr& requester, Child& from, std::function<void(Child&)> rest);
  // `then` hears whether all have closed theirs: this agent's processes, and those behind its peers but the requester's. A dead process has.
  void disconnect(const RequesterPtr& requester, const Address& who, std::function<void(bool all)> then);
  // What the process knows stays: a connection that was made since may be on its way to it.
  void disconnected(const control::Disconnected& answer);
  void process_died(std::uint64_t object);

 private:
  struct Asked {
    std::uint64_t object = 0;  // it was asked to close its connection
    std::function<void(bool)> then;
  };
  const DeathRegister& deaths_;
  Processes& processes_;
  PeerAgents& peers_;
  std::map<std::uint64_t, Asked> asked_;  // by request
  std::uint64_t next_ = 1;
};

}  // namespace octavo::agent
