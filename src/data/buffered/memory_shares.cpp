// SPDX-License-Identifier: Apache-2.0
#include "data/buffered/memory_shares.hpp"

#include <algorithm>

#include "data/buffered/blocks/written_elements.hpp"
#include "octavo/base/error.hpp"
#include "octavo/machine/budget.hpp"

namespace octavo::detail {

namespace {

constexpr std::int64_t least_memory = 64 * KiB, usual_memory = 256 * MiB;
constexpr std::int64_t least_block = 4 * KiB, most_usual_block = 1 * MiB, blocks_wanted = 32;
constexpr std::int64_t least_disk = 8 * KiB, most_disk = 8 * MiB, disk_part = 8;

}  // namespace

MemoryShares shares_of(const BufferedOptions& options, std::int64_t element_bytes) {
  if (options.memory < 0 || options.buffers < 0 || options.elements < 0 || options.threads < 1)
    throw usage_error("a negative number of bytes, buffers or elements, or no thread", "Give positive ones, or leave them out");
  if (options.memory > 0 && options.memory < least_memory)
    throw refused("a buffered array within " + format_bytes(options.memory), "Give memory at least " + format_bytes(least_memory), least_memory);
  const bool counted = options.memory == 0 && options.buffers > 0;
  const std::int64_t whole = counted ? 0 : options.memory > 0 ? options.memory : usual_memory;
  if (whole > 0) check_budget(whole, "a buffered array's memory");
  const std::int64_t block = counted ? most_usual_block : std::clamp(whole / blocks_wanted, least_block, most_usual_block);
  return {whole, counted ? most_disk : std::clamp(whole / disk_part, least_disk, most_disk), options.elements > 0 ? options.elements * element_bytes : block};
}

std::int64_t buffers_within(const MemoryShares& shares, const BufferedOptions& options, const BlockGrid& grid, std::int64_t element_bytes,
                            const std::string& name) {
  // Of several threads each notes what it wrote by itself first.
  const std::int64_t bits = WrittenElements::bytes(grid.elements) * (options.threads > 1 ? 2 : 1);
  const std::int64_t each = round_up(grid.elements * element_bytes, 64) + bits;
  const std::int64_t useful = std::clamp<std::int64_t>(grid.blocks, 1, INT32_MAX / 2);
  if (shares.whole == 0) {
    check_budget(options.buffers * each, "the buffers of a buffered array");
    if (options.buffers < options.threads)
      throw usage_error(std::to_string(options.buffers) + " buffers of '" + name + "' for " + std::to_string(options.threads) + " threads",
                        "Give at least one for each thread");
    return std::max(options.threads, std::min(options.buffers, useful));
  }
  const std::int64_t fit = (shares.whole - shares.disk) / each, wanted = std::max({std::int64_t{1}, options.buffers, options.threads});
  if (fit < wanted) {
    const std::int64_t least = wanted * each + std::max(shares.disk, least_disk);
    refused error(std::to_string(wanted) + (wanted == 1 ? " buffer of '" : " buffers of '") + name + "' (" + grid.block.text() + " elements) within " +
                      format_bytes(shares.whole),
                  "Give memory at least " + format_bytes(least) + ", or smaller buffers", least);
    error.path = name;
    throw error;
  }
  return std::max(options.threads, std::min(options.buffers > 0 ? options.buffers : fit, useful));
}

}  // namespace octavo::detail
