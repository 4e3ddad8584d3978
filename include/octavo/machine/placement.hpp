// SPDX-License-Identifier: Apache-2.0
// Where an object is put, and whether it outlives its program: what a Place (process/place.hpp) says to the agents.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "octavo/machine/address.hpp"

namespace octavo {

// Of an object with a name whose process died by accident: what brings it back from its saved state. The next call; its agent, at once;
// only an open().
enum class restart_policy : std::uint8_t { when_called, always, never };

// Of an object with a name: when it is saved, besides save() and the orderly end of its agent; and whether it comes back.
struct Keeping {
  bool every_call = false;  // a reply goes after the state is on the disk
  double idle_seconds = 0;  // without a call, then it is saved and ended until the next; 0: never
  restart_policy restarting = restart_policy::when_called;
  std::uint32_t restarts = 3;   // at most so many
  double restart_seconds = 60;  // in so long

  bool operator==(const Keeping&) const = default;
  template <class Archive>
  void serialize(Archive& archive) {
    archive(every_call, idle_seconds, restarting, restarts, restart_seconds);
  }
};

struct Placement {
  bool on_thread = false;                // of the process that asks, else a process of its own
  std::string machine;                   // empty: that of the process that asks
  Address beside;                        // instead of a name: the machine of this object
  std::vector<std::string> server;       // the command that serves it, where it is neither this program nor octavo-server
  std::vector<std::string> fork_server;  // the command of a program that forks such servers (machine/fork_server.hpp); empty: none
  std::string title;                     // what lists and messages call it; empty: its class
  std::string name;                      // empty: it dies with its program
  Keeping keeping;                       // of one with a name
  bool keeps_children = false;           // of one without: the processes that it starts outlive it
  std::uint64_t state_key = 0;           // of one with a name: what reads and writes its state
};

}  // namespace octavo
