// SPDX-License-Identifier: Apache-2.0
// The fork servers of an agent (octavo/machine/fork_server.hpp), one for each command: started when one is first wanted, and asked for forks.
//
//   ForkServers forks(events, spawn::start_fork_server, spawn::start);
//   forks.start({"python", "forks.py"}, {"python", "server.py"}, "octavo:Counter", [](const ForkServers::Take& take) { adopt(take()); });
//
// What a fork server cannot do, `start` does with the other command: where it dies, does not answer in time, or has threads. The processes of both are children
// of this process. Threading: the agent's. Failure: take() throws what `start` throws.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <list>
#include <set>
#include <string>
#include <vector>

#include "machine/agent/common/event_loop.hpp"
#include "machine/forking/inherited.hpp"
#include "machine/forking/messages.hpp"
#include "machine/spawn.hpp"

namespace octavo::agent {

class ForkServers {
 public:
  using Command = std::vector<std::string>;
  using Take = std::function<spawn::Started()>;
  using Done = std::function<void(const Take& take)>;
  using Duration = std::chrono::steady_clock::duration;

  using Begin = std::function<spawn::Started(const Command& command)>;

  ForkServers(EventLoop& events, Begin begin, spawn::Start start, Duration patience = std::chrono::seconds(30))
      : events_(events), begin_(std::move(begin)), start_(std::move(start)), patience_(patience) {}
  ForkServers(const ForkServers&) = delete;
  ForkServers& operator=(const ForkServers&) = delete;
  ~ForkServers() { end_all(); }

  // Calls `done` when there is a process, or no hope of one: now, or from a handler of the event loop.
  void start(const Command& fork_server, const Command& otherwise, const std::string& title, Done done);
  // A request waits: look_again() is to be called soon, and starts anew what waits for too long.
  [[nodiscard]] bool waits() const noexcept;
  void look_again();
  // Ends all, and what they forked that nobody has heard of.
  void end_all();

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Waiting {
    Command otherwise;
    std::string title;
    Done done;
    spawn::Started ours;  // its ends of the sockets that the fork was given
    Time since;
  };
  struct Server {
    Command command;
    forking::Inherited inherited;
    spawn::Started run;
    std::deque<Waiting> waiting;
    bool proven = false;   // it has forked
    bool retired = false;  // it gets no more requests
  };

  Server* server_for(const Command& command);
  Server& add(const Command& command, forking::Inherited inherited);
  bool ask(Server& server, const Command& otherwise, const std::string& title, Done& done);
  void hear(Server& server);
  datagram::heard drain(Server& server, int flags);
  void fulfil(Server& server, forking::Forked forked);
  static void hand_over(Waiting to, forking::Forked forked);
  static void end(const forking::Forked& forked) noexcept;
  static void kill(const Server& server) noexcept;
  void start_anew(Waiting waiting);
  void give_up(Server& server);
  void reap(Server& server);

  EventLoop& events_;
  const Begin begin_;  // a fork server
  const spawn::Start start_;
  const Duration patience_;
  std::list<Server> servers_;
  std::set<Command> unable_;  // commands whose fork server never forked
};

}  // namespace octavo::agent
