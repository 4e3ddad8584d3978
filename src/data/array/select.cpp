// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "octavo/base/error.hpp"
#include "octavo/data/selection.hpp"

namespace octavo {

void Slice::resolve(std::int64_t extent, std::int64_t& lo, std::int64_t& count, std::int64_t& step) const {
  if (step_ < 1) throw usage_error("a slice with the step " + std::to_string(step_), "Give a step of at least 1");
  if (is_index_ && (from_ < -extent || from_ >= extent))
    throw usage_error("index " + std::to_string(from_) + " is outside an axis of " + std::to_string(extent));
  auto within = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + extent : at, 0, extent); };
  lo = within(from_);
  const std::int64_t past = is_index_ ? lo + 1 : within(to_);
  step = std::min(step_, std::max<std::int64_t>(extent, 1));
  count = past <= lo ? 0 : (past - lo - 1) / step + 1;
}

Selection select(const Shape& shape, std::initializer_list<Slice> slices) {
  if (slices.size() > static_cast<std::size_t>(shape.size()))
    throw usage_error(std::to_string(slices.size()) + " slices of an array of " + std::to_string(shape.size()) + " axes");
  Selection selection = Selection::of(Box::whole(shape));
  int axis = 0;
  for (const Slice& slice : slices) {
    slice.resolve(shape[axis], selection.lo[axis], selection.count[axis], selection.step[axis]);
    ++axis;
  }
  return selection;
}

}  // namespace octavo
