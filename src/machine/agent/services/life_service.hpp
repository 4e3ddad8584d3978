// SPDX-License-Identifier: Apache-2.0
// The service of the life of processes: making objects, killing and listing them, and what a machine is like.
//
//   LifeService life(identity, processes, peers, routes, forwarder, {.start = ..., .adopt = ..., ...});
//   life.take(requester, control::Spawn{...});       // the requester is connected with the new object
//
// Threading: the agent's. Failure: answered Failed.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "machine/agent/children/processes.hpp"
#include "machine/agent/common/identity.hpp"
#include "machine/agent/peers/peer_agents.hpp"
#include "machine/agent/peers/routes.hpp"
#include "machine/agent/requests/forwarder.hpp"

namespace octavo::agent {

class LifeService {
 public:
  struct Surroundings {
    std::function<spawn::Started(const std::vector<std::string>& command, const std::string& title)> start;
    std::function<Child&(ProcessFacts facts, spawn::Started run, std::uint64_t host)> adopt;
    std::function<Child&(const control::Spawn& request)> make_named;  // null: this is no lasting agent
    std::function<std::vector<ProcessFacts>()> list;
    std::function<void(Child& child)> said_bye;
  };
  LifeService(const Identity& self, Processes& processes, PeerAgents& peers, const Routes& routes, const Forwarder& forwarder, Surroundings around);

  void take(const RequesterPtr& requester, const control::LifeNotice& notice);
  void take_last_word(Child& dead, const control::LifeNotice& notice) const;

 private:
  void spawn(const RequesterPtr& requester, const control::Spawn& request);
  Child& make(const Requester& requester, const control::Spawn& request);
  Child& make_on_thread(Child& asking, const control::Spawn& request);
  void kill(const RequesterPtr& requester, const control::Kill& request);
  control::Notice killed(const control::Kill& request);
  void list(const RequesterPtr& requester);
  void say_facts(const RequesterPtr& requester, const control::AskFacts& request);
  void hear_bye(Child& from, const control::Bye& bye) const;

  const Identity& self_;
  Processes& processes_;
  PeerAgents& peers_;
  const Routes& routes_;
  const Forwarder& forwarder_;
  const Surroundings around_;
};

}  // namespace octavo::agent
