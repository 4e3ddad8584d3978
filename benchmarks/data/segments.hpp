// SPDX-License-Identifier: Apache-2.0
// What a store to a segment costs, beside a store to memory of the process's own: seconds for each.
#pragma once

#include <cstddef>

namespace bench {

inline constexpr std::size_t near = std::size_t{64} << 10, wide = std::size_t{64} << 20;  // bytes that are stored to, a line here and there

double segment_store(std::size_t bytes);
double plain_store(std::size_t bytes);
// Under an octavo::Mutex that nobody else wants, each for itself.
double locked_segment_store();
double locked_plain_store();  // under two compare-and-swaps, the least that lock and unlock can be

}  // namespace bench
