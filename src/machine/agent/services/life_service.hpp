// SPDX-License-Identifier: Apache-2.0
// The service of the life of processes: making objects, killing and listing them, and what a machine is like.
//
//   LifeService life(identity, processes, peers, routes, &objects, events);
//   life.take(requester, control::Spawn{...});       // the requester is connected with the new object
//
// Threading: the agent's. Failure: answered Failed.
#pragma once

#include <map>
#include <utility>

#include "machine/agent/children/fork_servers.hpp"
#include "machine/agent/peers/routes.hpp"
#include "machine/forking/noted_environment.hpp"
#include "machine/lasting/named_objects.hpp"
#include "machine/sweeper/mark.hpp"

namespace octavo::agent {

class LifeService {
 public:
  using BeginForkServer = std::function<spawn::Started(const ForkServers::Command& command, const std::vector<std::string>& environment)>;
  using Mark = std::function<sweeper::Mark(const std::string& program)>;
  // `objects`: null, if this is no lasting agent. `mark`: of a new process, which that program serves; none: it gets none.
  LifeService(const Identity& self, Processes& processes, PeerAgents& peers, const Routes& routes, NamedObjects* objects, EventLoop& events,
              const BeginForkServer& begin = spawn::start_fork_server, const spawn::Start& start = spawn::start, Mark mark = {})
      : self_(self),
        processes_(processes),
        peers_(peers),
        routes_(routes),
        objects_(objects),
        mark_(std::move(mark)),
        start_([this, start](const auto& command, const auto& title, const auto& directory, const auto& environment) {
          return start(command, title, directory, environment.empty() ? environment_.now() : environment);
        }),
        forks_(
            events, [this, begin](const ForkServers::Command& command) { return begin(command, environment_.now()); }, start_, {},
            [this] { return environment_.now(); }) {}

  // What is started from now on has the environment of now. By any thread that knows that no other changes it meanwhile.
  void note_environment() { environment_.note(); }
  void take(const RequesterPtr& requester, const control::LifeNotice& notice);
  [[nodiscard]] ForkServers& fork_servers() noexcept { return forks_; }
  void hear_bye(Child& from, const control::Bye& bye);
  // A requester that waits for this death is answered. After everybody was told of it.
  void process_died(const Address& who);
  // A program has left this lasting agent: what it made here without a name ends with it.
  void guest_left(std::uint64_t link);

 private:
  void spawn(const RequesterPtr& requester, const control::Spawn& request);
  Child& make(const Requester& requester, const control::Spawn& request);
  void make_by_fork(const RequesterPtr& requester, const control::Spawn& request);
  Child& adopt(std::uint64_t guest, spawn::Started run, const control::Spawn& request);
  Child& make_on_thread(Child& asking, const control::Spawn& request);
  void kill(const RequesterPtr& requester, const control::Kill& request);
  void kill_here(const RequesterPtr& requester, const control::Kill& request);
  void list(const RequesterPtr& requester);
  void say_facts(const RequesterPtr& requester, const control::AskFacts& request);

  const Identity& self_;
  Processes& processes_;
  PeerAgents& peers_;
  const Routes& routes_;
  NamedObjects* const objects_;
  const Mark mark_;
  forking::NotedEnvironment environment_;
  const spawn::Start start_;
  ForkServers forks_;
  std::multimap<Address, RequesterPtr> killed_;  // requesters that wait for an end
};

}  // namespace octavo::agent
