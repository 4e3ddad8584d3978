// SPDX-License-Identifier: Apache-2.0
// What starts, watches and names the processes of one machine: one thread of the program. It does all spawning (the
// parent-death signal follows the thread that made a child), brokers connections between processes, reaps them, tells
// those who knew them, and frees their pages.
//
//   Agent agent({.pool_bytes = 1 << 30});
//   Endpoint endpoint(agent.join());      // the program speaks to its agent as its children do
//
// A-1  A process whose program ends, however that ends, is ended: by the agent, by the parent-death signal, by its socket's end.
// A-2  When a process dies, each process that is connected with it, or asked to be told, is told, with status and last lines, once.
// A-3  The destructor returns when all processes are reaped.
// A-4  Agents of several machines speak over links (machine/engine.hpp): the program's is the hub, the others know it and each other by it. Connections of
//      processes of two other machines go by a link of these two, where one can be had, else by the hub.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "octavo/base/fd.hpp"
#include "octavo/machine/engine.hpp"

namespace octavo::agent {
class SiblingWays;
}
namespace octavo {

struct AgentOptions {
  std::string machine;                       // its name; empty: the host's
  std::int64_t pool_bytes = 0;               // 0: a quarter of what there is here, used only as touched
  std::int64_t ring_bytes = 0;               // of each direction of a connection; 0: the default
  bool measure = false;                      // sample what the processes use, for peak_bytes()
  std::shared_ptr<Engine> engine = {};       // of the other machines; none: this one is all
  std::string home;                          // where the lasting agent of this machine is; empty: daemon::default_home()
  std::chrono::milliseconds silence{10000};  // after which another machine is lost, and its calls fail
  bool keep_children = false;                // the processes that objects without names start outlive them
};

class Agent {
 public:
  // Of a program: it joins.
  explicit Agent(AgentOptions options = {});
  // Of another machine than the program's, whose agent has the other end of the link. `siblings`: how it gets links with agents of other machines; null: it has
  // none.
  Agent(AgentOptions options, std::unique_ptr<road::Link> hub, std::shared_ptr<agent::SiblingWays> siblings = nullptr);
  // The lasting agent of `home`, which programs come to through `listening`.
  Agent(AgentOptions options, Fd listening);
  ~Agent();
  Agent(const Agent&) = delete;
  Agent& operator=(const Agent&) = delete;

  // The control socket of the program itself (object 1). Once.
  Fd join();
  // Until the link to the hub is lost; of a lasting agent, until it has been of no use for a while, or is told to end.
  void wait();
  // What is started from now on has the environment that the program has now. By a thread that knows that no other changes it meanwhile.
  void note_environment();
  // Ends a lasting agent in order: its objects are saved.
  void retire();
  // The highest sum so far of anonymous memory of all its processes, the program, and shared memory (sampled every 20 ms).
  [[nodiscard]] std::int64_t peak_bytes() const;
  // The program's own share of that at its highest.
  [[nodiscard]] std::int64_t peak_program_bytes() const;

 private:
  class Loop;
  std::unique_ptr<Loop> loop_;
};

}  // namespace octavo
