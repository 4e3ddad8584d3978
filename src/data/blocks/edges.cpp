// SPDX-License-Identifier: Apache-2.0
#include "data/blocks/edges.hpp"

#include <algorithm>

#include "octavo/base/error.hpp"

namespace octavo::detail {

namespace {

std::int64_t remainder(std::int64_t index, std::int64_t extent) { return (index % extent + extent) % extent; }

// The element that stands at an index that may lie beyond the array.
std::int64_t stands_at(std::int64_t index, std::int64_t extent, boundary how) {
  if (0 <= index && index < extent) return index;
  switch (how) {
    case boundary::nearest: return std::clamp<std::int64_t>(index, 0, extent - 1);
    case boundary::reflect: return index < 0 ? -1 - index : 2 * extent - 1 - index;
    case boundary::periodic: return remainder(index, extent);
    case boundary::value:
    case boundary::none: break;
  }
  return beyond_edge;
}

void append(Runs& to, std::int64_t global, std::int64_t local, std::int64_t length) {
  if (!to.empty()) {
    auto& last = to.back();
    const bool goes_on = global == beyond_edge ? last.global == beyond_edge : last.global != beyond_edge && last.global + last.length == global;
    if (goes_on && last.local + last.length == local) {
      last.length += length;
      return;
    }
  }
  to.push_back({global, local, length});
}

}  // namespace

void show(Runs& runs, std::int64_t first, std::int64_t from, std::int64_t to, std::int64_t extent, boundary how) {
  for (std::int64_t local = from; local < to;) {
    const auto index = first + local, global = stands_at(index, extent, how);
    // Within the array they are one run: a block may be long.
    const auto length = global == index && global != beyond_edge ? std::min(to - local, extent - index) : 1;
    if (global != beyond_edge || how == boundary::value) append(runs, global, local, length);
    local += length;
  }
}

void check_boundary(const Shape& shape, const Shape& halo, boundary how) {
  if (how != boundary::reflect && how != boundary::periodic) return;
  for (int axis = 0; axis < shape.size(); ++axis)
    if (halo[axis] > shape[axis])
      throw usage_error("a halo of " + halo.text() + " around parts of an array of " + shape.text() + ": what lies beyond it would lie beyond it again",
                        "Give a smaller one");
}

}  // namespace octavo::detail
