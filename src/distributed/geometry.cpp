// SPDX-License-Identifier: Apache-2.0
#include "distributed/geometry.hpp"

#include <algorithm>

#include "octavo/base/error.hpp"

namespace octavo::detail {

namespace {

// Of `n` elements over `p` members those of member `at`: the first n % p have one more.
Runs block_of(std::int64_t n, std::int64_t p, std::int64_t at, std::int64_t halo) {
  const std::int64_t lo = at * (n / p) + std::min(at, n % p), length = n / p + (at < n % p ? 1 : 0);
  if (length == 0) return {};
  return {{lo, halo, length}};
}

Runs dealt_out(std::int64_t n, std::int64_t p, std::int64_t at, std::int64_t block) {
  Runs runs;
  std::int64_t local = 0;
  for (std::int64_t lo = at * block; lo < n; lo += p * block) {
    const auto length = std::min(block, n - lo);
    if (p == 1 && !runs.empty()) runs.back().length += length;
    else runs.push_back({lo, local, length});
    local += length;
  }
  return runs;
}

std::int64_t length_of(const Runs& runs) {
  std::int64_t length = 0;
  for (const auto& each : runs) length += each.length;
  return length;
}

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

void append(Runs& to, std::int64_t global, std::int64_t local) {
  if (!to.empty()) {
    auto& last = to.back();
    const bool goes_on = global == beyond_edge ? last.global == beyond_edge : last.global != beyond_edge && last.global + last.length == global;
    if (goes_on && last.local + last.length == local) {
      ++last.length;
      return;
    }
  }
  to.push_back({global, local, 1});
}

}  // namespace

Geometry geometry_of(const Shape& shape, const Split& split, std::uint32_t member) {
  const auto& members = split.members();
  std::int64_t cell = member;
  if (!members.empty()) cell = std::find(members.begin(), members.end(), member) - members.begin();
  Geometry made;
  const bool has_none = cell >= split.grid().count();
  const Shape at = has_none ? Shape::filled(shape.size(), 0) : unflatten(cell, split.grid());
  for (int axis = 0; axis < shape.size(); ++axis) {
    const auto n = shape[axis], p = split.grid()[axis], block = split.blocks()[axis], halo = split.halo()[axis];
    Runs runs = has_none ? Runs() : block == 0 ? block_of(n, p, at[axis], halo) : dealt_out(n, p, at[axis], block);
    made.extents.push_back(length_of(runs));
    made.wide.push_back(made.extents[axis] + 2 * halo);
    made.own.push_back(std::move(runs));
  }
  return made;
}

Geometry whole_of(const Shape& shape) { return geometry_of(shape, Split::block(Shape::filled(shape.size(), 1)), 0); }

Runs beyond(const Geometry& of, const Shape& shape, int axis, boundary how) {
  Runs shown;
  if (of.empty()) return shown;
  const auto& own = of.own[static_cast<std::size_t>(axis)].front();
  auto show = [&](std::int64_t from, std::int64_t to) {
    for (std::int64_t local = from; local < to; ++local) {
      const auto global = stands_at(own.global + local - own.local, shape[axis], how);
      if (global != beyond_edge || how == boundary::value) append(shown, global, local);
    }
  };
  show(0, own.local);  // the width of the halo
  show(of.wide[axis] - own.local, of.wide[axis]);
  return shown;
}

void check_boundary(const Shape& shape, const Split& split, boundary how) {
  if (how != boundary::reflect && how != boundary::periodic) return;
  for (int axis = 0; axis < shape.size(); ++axis)
    if (split.halo()[axis] > shape[axis])
      throw usage_error("a halo of " + split.halo().text() + " around parts of an array of " + shape.text() + ": what lies beyond it would lie beyond it again",
                        "Give a smaller one");
}

std::string DistributedFacts::text() const {
  constexpr char digits[] = "0123456789abcdef";
  std::string name;
  for (int shift = 12; shift >= 0; shift -= 4) name += digits[id >> shift & 15];
  return "distributed array " + name + " of " + shape.text() + " " + std::string(name_of(type)) + ", split " + split.text();
}

}  // namespace octavo::detail
