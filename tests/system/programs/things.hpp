// SPDX-License-Identifier: Apache-2.0
// The elements that both programs know.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "octavo/process.hpp"
#include "octavo/std.hpp"

namespace programs {

namespace ov = octavo;

// Without any operator: and so has a vector of them, whatever std::vector declares.
struct Point {
  int x = 0, y = 0;
};
using Ages = std::map<std::string, int>;
using Names = std::set<std::string>;

}  // namespace programs
