// SPDX-License-Identifier: Apache-2.0
// The name this machine gives itself; "localhost" where it has none.
#pragma once

#include <unistd.h>

#include <array>
#include <string>

namespace octavo {

inline std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

}  // namespace octavo
