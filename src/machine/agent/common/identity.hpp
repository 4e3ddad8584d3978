// SPDX-License-Identifier: Apache-2.0
// What an agent is: its number, which of its lives this is, and its machine. Set when it begins, and never changed.
#pragma once

#include <unistd.h>

#include <cstdint>
#include <string>

#include "octavo/machine/address.hpp"

namespace octavo::agent {

struct Identity {
  std::uint64_t id = 0;
  std::uint32_t incarnation = 1;
  std::string machine;
  bool daemon = false;  // it keeps the names of its machine, and outlives programs
  double started = 0;

  [[nodiscard]] ProcessFacts facts() const { return {{id, incarnation, 0}, "the agent", machine, ::getpid(), started}; }
};

}  // namespace octavo::agent
