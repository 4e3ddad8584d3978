// SPDX-License-Identifier: Apache-2.0
// A base before EveryPlace: made before the Runtime of the fixture, so that all processes have this patience with calls that are not answered.
#pragma once

#include <cstdlib>

namespace process_tests {

struct ShortPatience {
  explicit ShortPatience(const char* seconds = "0.6") { ::setenv("OCTAVO_PATIENCE", seconds, 1); }
  ~ShortPatience() { ::unsetenv("OCTAVO_PATIENCE"); }
  ShortPatience(const ShortPatience&) = delete;
  ShortPatience& operator=(const ShortPatience&) = delete;
};

}  // namespace process_tests
