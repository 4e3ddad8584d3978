// SPDX-License-Identifier: Apache-2.0
// One way to do a transform, given the boxes: where the intermediate lies, by what pages each pass reads and writes, and what that costs.
#pragma once

#include <optional>

#include "fft/plan/budget.hpp"

namespace octavo::fft {

struct PassLayout {
  Shape read_page = {}, write_page = {};
  std::int64_t box_memory = 0, read_run = 0, write_run = 0;
  bool regroup = false;
  double cost = 0;
};

struct Layout {
  std::vector<Shape> boxes;
  std::vector<PassLayout> passes;
  Shape between;  // the page of the intermediate; empty where it is a flat target
  Shape target_chunk;
  double cost = 0;  // bytes moved, weighted by how scattered they are
};

// The cheapest layout whose every box fits `budget` bytes, if any. `boxes`: one a pass, may be rounded to whole pages of the intermediate.
bool whole_chunks(const Shape& shape, const Shape& box, const Shape& chunk);
std::optional<Layout> best_layout(const Problem& problem, const std::vector<Shape>& boxes, via_kind via, std::int64_t budget);

}  // namespace octavo::fft
