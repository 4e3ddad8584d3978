// SPDX-License-Identifier: Apache-2.0
// How much of a ring is copied before the other side is told: while it copies that, this side copies the next.
#pragma once

#include <cstddef>

namespace octavo::road {

inline constexpr std::size_t slice_bytes = 16 << 10;

}  // namespace octavo::road
