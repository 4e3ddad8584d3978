// SPDX-License-Identifier: Apache-2.0
// How the agent that plays a machine on its program's host (octavo::played, machine/engine.hpp) is told so, by OCTAVO_AGENT.
//
//   spawn::start_agent(program, text_of({.machine = "box", .terms = terms, .program = ::getpid()}), ...);
#pragma once

#include <sys/types.h>

#include <csignal>
#include <string>

#include "octavo/machine/engine.hpp"

namespace octavo::engine {

struct PlayedRole {
  std::string machine;
  AgentTerms terms;
  pid_t program = 0;  // whose temporary directory it works in a folder of; 0: the directory is somebody's, and stays
};
std::string text_of(const PlayedRole& role);
// Throws usage_error for what text_of() does not write.
PlayedRole played_role(const std::string& text);

// What its program sends it when it ends in order, and removes the directory itself.
inline constexpr int ends_in_order_signal = SIGUSR1;

}  // namespace octavo::engine
