// SPDX-License-Identifier: Apache-2.0
// What a halo shows beyond the edge of an array: for the blocks of arrays, and for the parts of distributed ones.
//
//   a.exchange_halo(octavo::boundary::periodic);
//   auto u = octavo::blocks("u.npy").halo(1, octavo::boundary::nearest);
//
// Threading: a value.
#pragma once

#include <cstdint>

namespace octavo {

// The element at the edge; the array mirrored, with the edge twice; its other side; a value; nothing: in a distributed array what is in the border there stays,
// and a block has no halo there.
enum class boundary : std::uint8_t { nearest, reflect, periodic, value, none };

}  // namespace octavo
