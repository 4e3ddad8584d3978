// SPDX-License-Identifier: Apache-2.0
// What an agent keeps of one of its processes, or of an object on a thread of one.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "machine/agent/common/requester.hpp"
#include "machine/agent/deaths/death_register.hpp"
#include "machine/error_lines.hpp"
#include "machine/outbox.hpp"
#include "machine/spawn.hpp"
#include "octavo/machine/address.hpp"
#include "octavo/road/doorbell.hpp"

namespace octavo::agent {

// Of an object with a name.
struct Named {
  std::vector<std::string> command;  // that serves it
  control::StateClass how;
  bool fresh = false;  // it has never been saved
  bool ready = false;
  std::uint64_t passivation_round = 0;  // it is idle, and its peers are asked to close their connections: which round of that
  bool passivating = false;             // its end is near: new requests wait for that
  bool killed_by_agent = false;         // its agent ended it, on purpose
  std::vector<RequesterPtr> waiting;    // for it to be ready
  std::vector<Postponed> later;         // for its next life, as this one saves itself and ends
};

struct Child {
  ProcessFacts facts;
  unsigned slot = 0;
  spawn::Started run;
  road::Doorbell bell;
  std::uint64_t host = 0;   // the object on whose process's thread it lives; 0: it has a process of its own
  std::uint64_t guest = 0;  // the link of the program it ends with, where this is a lasting agent; 0: with this agent
  ErrorLines lines = {};
  bool keeps_children = false;  // what it starts outlives it, and so does what those start that it makes
  bool said_bye = false, resting = false;
  std::unique_ptr<Named> named = {};
  Outbox outbox = {};
  std::optional<int> status = {};  // of its process, once it is reaped

  [[nodiscard]] Listener listener() const { return Listener::process(facts.address.object); }
};

}  // namespace octavo::agent
