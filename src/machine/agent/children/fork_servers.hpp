// SPDX-License-Identifier: Apache-2.0
// The fork servers of an agent (octavo/machine/fork_server.hpp), one for each command: started when one is first wanted, and asked for forks.
//
//   ForkServers forks(events, spawn::start_fork_server, spawn::start);
//   forks.start({"python", "forks.py"}, {"python", "server.py"}, "octavo:Counter", [](const ForkServers::Take& take) { adopt(take()); });
//
// What a fork server cannot do, `start` does with the other command: where it dies, does not answer in time, or has threads. The processes of both are children
// of this process. Once a fork server has forked it is asked for spares, too, as many as SpareDemand says. Threading: the agent's. Failure: take() throws what
// `start` throws.
#pragma once

#include <chrono>
#include <deque>
#include <functional>
#include <list>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "machine/agent/children/spare_demand.hpp"
#include "machine/agent/children/spares.hpp"
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
  using Environment = std::function<std::vector<std::string>()>;  // that children are to have
  struct Times {
    Duration patience = std::chrono::seconds(30);    // with a fork server
    Duration spares_last = std::chrono::seconds(5);  // or twice as long, where nothing is made
  };

  ForkServers(EventLoop& events, Begin begin, spawn::Start start, Times times, Environment environment = spawn::variables_of_ours)
      : events_(events), begin_(std::move(begin)), start_(std::move(start)), environment_(std::move(environment)), times_(times) {}
  ForkServers(const ForkServers&) = delete;
  ForkServers& operator=(const ForkServers&) = delete;
  ~ForkServers() { end_all(); }

  // Calls `done` when there is a process, or no hope of one: now, or from a handler of the event loop.
  void start(const Command& fork_server, const Command& otherwise, const std::string& title, Done done);
  // When look_again() is to be called at the latest, which starts anew what waits for too long, and sees to the spares; -1: never.
  [[nodiscard]] int most_ms();
  void look_again();
  // Ends all, and what they forked that nobody has heard of.
  void end_all();

 private:
  using Time = std::chrono::steady_clock::time_point;
  struct Waiting {
    Command otherwise;
    std::string title;
    Done done;            // none: it is to be a spare
    spawn::Started ours;  // its ends of the sockets that the fork was given
    Time since;
  };
  struct Server {
    Server(Command of, forking::Inherited has, spawn::Started as, EventLoop& events, Duration spares_last)
        : command(std::move(of)), inherited(std::move(has)), run(std::move(as)), spares(events), demand(spares_last) {}
    Command command;
    forking::Inherited inherited;
    spawn::Started run;
    std::deque<Waiting> waiting;
    Spares spares;
    SpareDemand demand;
    bool proven = false;   // it has forked
    bool retired = false;  // it gets no more requests
    bool urgent = true;    // what it was asked for last
  };

  Server* server_for(const Command& command, forking::Changes& changes);
  Server& add(const Command& command, forking::Inherited inherited);
  bool ask(Server& server, const Command& otherwise, const forking::Task& task, Done& done);
  static bool request(Server& server, const forking::Task* task);
  void hear(Server& server);
  datagram::heard drain(Server& server, int flags);
  void fulfil(Server& server, forking::Forked forked);
  static void hand_over(const Done& to, spawn::Started run);
  static void end(const forking::Forked& forked) noexcept;
  static void kill(const Server& server) noexcept;
  void start_anew(Waiting waiting);
  void give_up(Server& server);
  void reap(Server& server);
  static void retire(Server& server);
  [[nodiscard]] static bool waits(const Server& server) noexcept;

  // spare_keeping.cpp
  static bool give_spare(Server& server, const forking::Task& task, const Done& done);
  static void set_urgent(Server& server, bool urgent) noexcept;
  static bool claim_spare(Server& server, const Command& otherwise, const forking::Task& task, Done& done);
  static void keep_spare(Server& server, Waiting as, forking::Forked forked);
  void see_to_spares(Server& server, Time now);
  [[nodiscard]] bool memory_suffices(const Server& server, Time now);

  EventLoop& events_;
  const Begin begin_;  // a fork server
  const spawn::Start start_;
  const Environment environment_;
  const Times times_;
  std::list<Server> servers_;
  std::set<Command> unable_;  // commands whose fork server never forked
  Time memory_looked_at_{};
  bool memory_suffices_ = false;
};

}  // namespace octavo::agent
