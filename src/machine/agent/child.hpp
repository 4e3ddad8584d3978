// SPDX-License-Identifier: Apache-2.0
// What an agent keeps of one of its processes.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "machine/agent/requester.hpp"
#include "machine/agent/deaths/death_register.hpp"
#include "machine/agent/children/error_lines.hpp"
#include "machine/control.hpp"
#include "machine/outbox.hpp"
#include "machine/spawn.hpp"
#include "octavo/machine/address.hpp"
#include "octavo/road/doorbell.hpp"

namespace octavo {

// Of an object with a name.
struct Named {
  std::string program;  // that serves it
  control::StateClass how;
  bool fresh = false;  // it has never been saved
  bool ready = false;
  std::uint64_t parting = 0;                    // it is idle, and those who are connected with it are asked to let it go: which time
  bool told_to_rest = false;                    // its end is near: who wishes something of it waits for that
  bool put_down = false;                        // by its agent, on purpose
  std::vector<std::shared_ptr<Requester>> waiting;  // for it to be ready
  // For its next life, as this one saves itself and ends.
  struct Later {
    std::shared_ptr<Requester> requester;
    control::Notice wish;
  };
  std::vector<Later> later;
};

struct Child {
  ProcessFacts facts;
  unsigned slot = 0;
  spawn::Started run;
  road::Doorbell bell;
  agent::ErrorLines lines;
  std::uint64_t host = 0;  // the object on whose process's thread it lives; 0: it has a process of its own
  bool said_bye = false, resting = false;
  std::unique_ptr<Named> named = {};
  Outbox outbox = {};
  std::optional<int> status = {};  // of its process, once it is reaped

  [[nodiscard]] agent::Listener listener() const { return agent::Listener::process(facts.address.object); }
};

}  // namespace octavo
