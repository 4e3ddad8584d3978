// SPDX-License-Identifier: Apache-2.0
#include "distributed/collectives.hpp"
#include "octavo/base/error.hpp"

namespace octavo::detail {

namespace {

constexpr std::int64_t window = 64 * MiB;  // of pages under way

void check(const DistributedPart& part, const Array& array) {
  if (array.shape() == part.facts().shape) return;
  throw usage_error("an array on disk of " + array.shape().text() + " for a " + part.facts().text(), "Give one of the same shape");
}

// Calls visit(selection of the array, its first element in memory) for all that the member has: one box, or one for each product of runs.
template <class Visit>
void for_each_box(const DistributedPart& part, const Shape& strides, Visit visit) {
  const auto& own = part.geometry().own;
  if (part.geometry().empty()) return;
  Shape runs;
  for (const auto& each : own) runs.push_back(static_cast<std::int64_t>(each.size()));
  for_each_index(runs, [&](const Shape& at) {
    Box box;
    std::int64_t from = 0;
    for (int axis = 0; axis < runs.size(); ++axis) {
      const auto& run = own[static_cast<std::size_t>(axis)][static_cast<std::size_t>(at[axis])];
      box.lo.push_back(run.global);
      box.hi.push_back(run.global + run.length);
      from += run.local * strides[axis];
    }
    visit(Selection::of(box), part.data() + from);
  });
}

Shape byte_strides(const DistributedPart& part) {
  Shape strides = dense_strides(part.geometry().wide);
  for (int axis = 0; axis < strides.size(); ++axis) strides[axis] *= part.item();
  return strides;
}

}  // namespace

void read_part(Membership& in, DistributedPart& part, const Array& from) {
  check(part, from);
  in_collective(in, "from_array into " + part.facts().text(), spacing::together, [&](Collective& c) {
    const auto strides = byte_strides(part);
    for_each_box(part, strides, [&](const Selection& box, std::byte* first) { from.read_into(box, first, strides, part.facts().type, window); });
    c.meet();
  });
}

void write_part(Membership& in, const DistributedPart& part, const Array& to) {
  check(part, to);
  in_collective(in, "to_disk of " + part.facts().text(), spacing::together, [&](Collective& c) {
    const auto strides = byte_strides(part);
    for_each_box(part, strides, [&](const Selection& box, const std::byte* first) { to.write_from(box, first, strides, part.facts().type, window); });
    c.meet();
  });
}

}  // namespace octavo::detail
