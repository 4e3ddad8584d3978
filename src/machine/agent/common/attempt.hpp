// SPDX-License-Identifier: Apache-2.0
// Runs one part of a step, and logs what it throws, so that the other parts are done all the same: the agent tells a death even when the registry's disk is
// full.
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
