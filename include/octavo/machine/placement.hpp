// SPDX-License-Identifier: Apache-2.0
// Where an object is put: what a Place (process/place.hpp) says to the agents.
#pragma once

#include <string>
#include <vector>

#include "octavo/machine/address.hpp"

namespace octavo {

struct Placement {
  bool on_thread = false;           // of the process that asks, else a process of its own
  std::string machine;              // empty: the machine of who asks
  Address beside;                   // instead of a name: the machine of this object
  std::vector<std::string> server;  // the command that serves it, where it is neither this program nor octavo-server

  template <class Archive>
  void serialize(Archive& archive) {
    archive(on_thread, machine, beside, server);
  }
};

}  // namespace octavo
