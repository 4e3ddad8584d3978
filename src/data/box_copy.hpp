// SPDX-License-Identifier: Apache-2.0
// Copies a box of elements from one block to another of the same type.
#pragma once

#include "octavo/data/page.hpp"

namespace octavo {

// `extents` elements from index `from_at` of `from` to index `to_at` of `to`.
void copy_box(const ArrayPage& from, const Shape& from_at, ArrayPage& to, const Shape& to_at, const Shape& extents);

}  // namespace octavo
