// SPDX-License-Identifier: Apache-2.0
// How the memory of a buffered array is shared out: the disk engine's staging, and buffers with their bits.
//
//   const MemoryShares shares = shares_of(options, size_of(type));
//   const std::int64_t count = buffers_within(shares, options, grid, size_of(type), "u.npy");
//
// Failure: refused with the least that would do; usage_error for options that exclude each other.
#pragma once

#include "data/buffered/blocks/block_grid.hpp"
#include "octavo/data/buffered/options.hpp"

namespace octavo::detail {

struct MemoryShares {
  std::int64_t whole = 0, disk = 0;  // whole: 0 where the buffers were counted, not bounded
  std::int64_t most_block = 0;       // bytes of a block
};

MemoryShares shares_of(const BufferedOptions& options, std::int64_t element_bytes);
std::int64_t buffers_within(const MemoryShares& shares, const BufferedOptions& options, const BlockGrid& grid, std::int64_t element_bytes,
                            const std::string& name);

}  // namespace octavo::detail
