// SPDX-License-Identifier: Apache-2.0
// What an agent and its processes say to each other of objects with names.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "octavo/base/error.hpp"
#include "octavo/machine/address.hpp"
#include "octavo/machine/placement.hpp"

namespace octavo::control {

// How the state of a class is read and written, and by what.
struct StateClass {
  std::uint64_t restore = 0;  // key of the method that does; 0: its objects cannot be named
  std::uint32_t version = 0, build = 0;
  bool built_in = false;  // octavo-server knows it, too
};
// What an object with a name is told of it.
struct NamedHome {
  std::string directory, name;
  StateClass how;
  Keeping keeping;
  bool fresh = false;  // it is to be constructed, else restored
};
// Process to agent: connect me with the object of this name. What the requester's program can restore is restored by it, or by octavo-server where that can.
struct Open {
  std::uint64_t request = 0;
  std::string machine, name;
  std::vector<std::string> command;
  std::string server;  // octavo-server; empty: there is none
  std::vector<StateClass> known;
};
// Process to agent: the object with a name is there (or could not be), and has been saved so often.
struct Ready {
  std::uint64_t generation = 0;
};
struct ConstructFailed {
  error_kind kind = error_kind::io;
  std::string message, cure;
};
// Process to agent: nobody has wanted anything of the object for as long as its policy says.
struct Idle {
  std::uint64_t reserved = 0;
};
// Agent to process: save the state and end.
struct Passivate {
  std::uint64_t reserved = 0;
};
// Process to agent, and its answer: names and below.
struct Names {
  std::uint64_t request = 0;
  std::string machine, prefix;
};
struct NameList {
  std::uint64_t request = 0;
  std::vector<NamedFacts> names;
};
// Process to agent: the state of this object before the last saved becomes its state. Answered Done.
struct Rollback {
  std::uint64_t request = 0;
  std::string machine, name;
};
// Process to agent: this object is to be destroyed, and does not come up. If that is because its state cannot be read, its name and state go, and the answer is
// Done; else refused.
struct Forget {
  std::uint64_t request = 0;
  Address object;
};
// Process to agent: the lasting agent of this machine is to save its objects and end. Answered Done when it has.
struct EndLasting {
  std::uint64_t request = 0;
  std::string machine;
};

using NameNotice = std::variant<Open, Ready, ConstructFailed, Idle, Passivate, Names, NameList, Rollback, EndLasting, Forget>;

}  // namespace octavo::control
