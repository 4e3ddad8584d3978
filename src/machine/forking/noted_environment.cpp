// SPDX-License-Identifier: Apache-2.0
#include "machine/forking/noted_environment.hpp"

#include <utility>

#include "machine/spawn.hpp"

namespace octavo::forking {

void NotedEnvironment::note() {
  auto now = spawn::variables_of_ours();
  std::lock_guard lock(mutex_);
  noted_ = std::move(now);
}

std::vector<std::string> NotedEnvironment::now() const {
  std::lock_guard lock(mutex_);
  return noted_ ? *noted_ : spawn::variables_of_ours();
}

}  // namespace octavo::forking
