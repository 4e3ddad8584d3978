// SPDX-License-Identifier: Apache-2.0
// What the planner has to choose from: orders of the axes in passes, and boxes for one pass.
#pragma once

#include <vector>

#include "octavo/data/box.hpp"

namespace octavo::fft {

using AxisGroups = std::vector<std::vector<int>>;

// The ways to part `axes` into `passes` groups, in order of doing; trailing axes first among equals. Where there are very many, those
// whose largest group has the smallest full extent.
std::vector<AxisGroups> orders_of(const Shape& shape, const std::vector<int>& axes, int passes);

// Boxes full on `group`, growing on the other axes from the last to the first: parts of a guide's chunk that are contiguous in it, whole
// chunks, multiples. By size, no two the same.
std::vector<Shape> boxes_for(const Shape& shape, const std::vector<int>& group, const std::vector<Shape>& guides);

}  // namespace octavo::fft
