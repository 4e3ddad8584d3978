// SPDX-License-Identifier: Apache-2.0
// What a child has of the program that starts it. A fork has what its fork server was started with: where the program has changed its own since, a fork is told
// of the variables that are others, or needs another fork server.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace octavo::forking {

struct Inherited {
  std::vector<std::string> environment;
  std::vector<std::uint64_t> limits;
  mode_t mask = 0;  // of the modes of new files
  bool operator==(const Inherited&) const = default;
};
Inherited inherited_now(std::vector<std::string> environment);

// What makes one environment of another: "NAME=value" of each variable that is to be set, "NAME" of one that is to go.
using Changes = std::vector<std::string>;
// Nothing: a fork cannot have it. Limits or the mask are others; or variables that are read when a program, its interpreter or a library starts (LD_*, PYTHON*,
// the language, threads of libraries); or too many.
std::optional<Changes> changes_for_a_fork(const Inherited& of_server, const Inherited& now);
void apply(const Changes& changes);  // by the only thread of a process

}  // namespace octavo::forking
