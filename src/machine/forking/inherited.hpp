// SPDX-License-Identifier: Apache-2.0
// What a child has of the program that starts it. A fork has what its fork server was started with: where the program has changed its own since, it needs
// another fork server.
#pragma once

#include <sys/types.h>

#include <cstdint>
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

}  // namespace octavo::forking
