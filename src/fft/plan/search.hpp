// SPDX-License-Identifier: Apache-2.0
// The search for a plan: the fewest passes first, then the least cost over orders of axes, boxes, layouts and boxes in flight.
#pragma once

#include <optional>

#include "fft/plan/layout.hpp"

namespace octavo::fft {

struct Choice {
  AxisGroups groups;
  Setting setting;
  FftMemory memory;  // its pool is the most there can be
  via_kind via;
  Layout layout;
  double cost;
};

std::optional<Choice> search(const Problem& problem, std::int64_t memory);
// Whether search() finds anything. Never false for more memory than it was true for.
bool fits(const Problem& problem, std::int64_t memory);

}  // namespace octavo::fft
