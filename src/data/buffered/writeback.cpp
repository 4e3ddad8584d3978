// SPDX-License-Identifier: Apache-2.0
// How what was written leaves the buffers: exactly those elements, and none is forgotten before it is where it belongs.
#include <algorithm>

#include "data/buffered/buffers.hpp"
#include "octavo/base/error.hpp"

namespace octavo::detail {

namespace {
constexpr std::size_t most_at_once = 8;  // blocks on their way to the disk
}  // namespace

void Buffers::Impl::open_to_write(int number) {
  Buffer& buffer = at(number);
  end_write(buffer);
  if (!buffer.written.begun()) entry(buffer.block).written = buffer.written.begin(grid, buffer.block);
}

// Where the buffers are too few for the array, a block leaves while the next ones are written: at once if it was written whole, else when the scan that wrote
// to it is past it.
void Buffers::Impl::write_behind(std::int64_t now) {
  const Scan::Behind behind = scans_.of_this_thread().writes(now);
  if (!free_.empty()) return;
  auto leaves = [&](std::int64_t block, bool whole) {
    if (block < 0 || find(block) < 0) return false;
    Buffer& buffer = at(find(block));
    if (buffer.pins > 0 || buffer.writing || !buffer.written.begun() || (whole && !buffer.written.all(grid))) return false;
    start_write(buffer);
    return true;
  };
  leaves(behind.before, true);
  if (leaves(behind.two_steps, false) && is_most_of(at(find(behind.two_steps)), grid.box_of(behind.two_steps))) backing->expect_write(grid.box_of(now));
}

void Buffers::Impl::writeback() {
  check_owner();
  std::vector<Buffer*> changed;
  for (auto& buffer : buffers_)
    if (buffer.written.begun()) changed.push_back(&buffer);
  std::ranges::sort(changed, {}, &Buffer::block);  // in the order of the disk, most likely
  std::exception_ptr first;
  auto end = [&](Buffer& buffer) {
    try {
      end_write(buffer);
    } catch (...) {  // the others get to their place
      if (!first) first = std::current_exception();
    }
  };
  for (std::size_t i = 0; i < changed.size() + most_at_once; ++i) {
    attend();
    if (i < changed.size() && !changed[i]->writing) start_write(*changed[i]);
    if (i >= most_at_once) end(*changed[i - most_at_once]);
  }
  if (first) std::rethrow_exception(first);
}

std::int64_t Buffers::Impl::dirty_elements() {
  std::int64_t count = 0;
  for (auto& buffer : buffers_) count += buffer.written.count();
  return count;
}

void Buffers::Impl::invalidate(bool discard) {
  check_owner();
  for (const auto& buffer : buffers_)
    if (buffer.pins > 0)
      throw usage_error("invalidating '" + name() + "' while its block " + grid.box_of(buffer.block).text() + " is in use", "Let the block go first");
  if (const auto dirty = dirty_elements(); dirty > 0 && !discard)
    throw usage_error("invalidating '" + name() + "', of which " + std::to_string(dirty) + " elements were written and not written back",
                      "Call writeback() first, or say that they are to be lost: invalidate(discard)");
  for (int number = 0; number < static_cast<int>(buffers_.size()); ++number) {
    Buffer& buffer = at(number);
    if (buffer.block < 0) continue;
    buffer.writing.reset();  // waits
    free(number);
  }
  scans_.forget();
}

}  // namespace octavo::detail
