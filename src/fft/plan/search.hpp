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

std::optional<Choice> search(const Problem& problem);  // within problem.request.memory, with the blocks of a pool of that size
// The most memory whose pool has smaller blocks, 0 if there is none: where small tiles take too many large blocks, less memory does what more did not.
std::int64_t with_smaller_blocks(std::int64_t memory);
// Whether search() finds anything for that memory, or for less of it. Never false for more memory than it was true for.
bool fits(Problem problem, std::int64_t memory);

}  // namespace octavo::fft
