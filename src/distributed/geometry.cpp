// SPDX-License-Identifier: Apache-2.0
#include "distributed/geometry.hpp"

#include <algorithm>

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
  const auto first = own.global - own.local;
  show(shown, first, 0, own.local, shape[axis], how);  // the width of the halo
  show(shown, first, of.wide[axis] - own.local, of.wide[axis], shape[axis], how);
  return shown;
}

std::string DistributedFacts::text() const {
  constexpr char digits[] = "0123456789abcdef";
  std::string name;
  for (int shift = 12; shift >= 0; shift -= 4) name += digits[id >> shift & 15];
  return "distributed array " + name + " of " + shape.text() + " " + std::string(name_of(type)) + ", split " + split.text();
}

}  // namespace octavo::detail
