// SPDX-License-Identifier: Apache-2.0
// One part of a step whose other parts are to be done whatever becomes of it: the agent tells a death, and answers what waits, also when the disk of the
// registry is full. What the part throws is logged.
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "octavo/base/log.hpp"

namespace octavo {

template <class Part>
void attempt(std::string_view doing, const Part& part) {
  try {
    part();
  } catch (const std::exception& e) {
    log_line("agent: " + std::string(doing) + ": " + e.what());
  }
}

}  // namespace octavo
