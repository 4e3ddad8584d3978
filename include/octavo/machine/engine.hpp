// SPDX-License-Identifier: Apache-2.0
// What provides machines and starts the agents on them. This is the contract of every engine; tests/conformance/machine cites it.
// The engine places and watches agents; a link (road/link.hpp) moves the bytes; no engine ever sees an object.
//
//   octavo::Runtime runtime(argc, argv, {.engine = octavo::played({"box", "attic"})});
//   auto p = runtime.machine("box").make<Counter>(5);
//
// E-1  machines() names them, this one not among them, always in the same order.
// E-2  start_agent(name) begins an agent there and returns the link to it, authenticated. It is called once for each machine, when the
//      first object is placed there, on the thread that starts all processes; it does not wait for the agent to speak.
// E-3  An agent ends when its link does, and with it all unnamed objects of that machine.
// E-4  end() returns when all its agents have ended, whose links were closed before; it ends those that do not.
// E-5  The loss of a machine is told by the end of its link, or by its silence.
// E-6  prepare() comes before the first agent: every agent has the pool and the rings that it says, and after `silence` without a sign of life a machine
//      is lost.
// Failure: usage_error for an unknown machine, io_error when an agent cannot be started.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "octavo/road/link.hpp"

namespace octavo {

// What the Runtime's options say of the agents on its machines (machine/agent.hpp).
struct AgentTerms {
  std::int64_t pool_bytes = 0;  // 0: a quarter of what is to be had there
  std::int64_t ring_bytes = 0;  // 0: the default
  std::chrono::milliseconds silence{10000};
};

class Engine {
 public:
  virtual ~Engine() = default;
  [[nodiscard]] virtual std::vector<std::string> machines() const = 0;
  virtual std::unique_ptr<road::Link> start_agent(const std::string& machine) = 0;
  virtual void end() = 0;
  virtual void prepare(const AgentTerms& /*terms*/) {}
};

// Machines played on this host: each an agent in a process of its own, working in `directory`/name, reached over a Unix socket. They fail,
// are slow and are lost as others are, so what runs on them quietly assumes nothing of one machine. No directory: a temporary one, which
// the end of the Runtime removes with all that is in it; where the program is killed, its agents do.
std::shared_ptr<Engine> played(std::vector<std::string> machines, const std::string& directory = {});

}  // namespace octavo
