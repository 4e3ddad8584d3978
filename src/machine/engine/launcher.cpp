// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/launcher.hpp"

#include <algorithm>
#include <cctype>

#include "octavo/base/error.hpp"

namespace octavo::engine {

bool is_plain(std::string_view word) {
  return !word.empty() && word.front() != '-' && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string_view("_./:@%+,-").find(static_cast<char>(c)) != std::string_view::npos;
  });
}

std::string agent_program(const std::string& chosen) {
  std::string program = !chosen.empty() ? chosen : spawn::server_program();
  if (program.empty()) program = spawn::own_program();  // any program with a Runtime can be an agent
  if (!is_plain(program))
    throw usage_error("the agents' program has a path that no remote shell takes as it is: '" + program + "'", "Set `program` of the engine's options");
  return program;
}

std::string agent_told(const std::string& how) { return std::string(spawn::agent_variable) + "=" + how; }

}  // namespace octavo::engine
