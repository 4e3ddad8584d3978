// SPDX-License-Identifier: Apache-2.0
// The pages that an array is cut into, of shapes that somebody gave.
#pragma once

#include "octavo/data/box.hpp"

namespace octavo {

// A map can be made only of a grid: usage_error says what is wrong with the shapes first.
Shape checked_grid(const Shape& shape, const Shape& page);

}  // namespace octavo
