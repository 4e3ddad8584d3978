// SPDX-License-Identifier: Apache-2.0
#include "distributed/strips.hpp"

#include <algorithm>
#include <cstring>

namespace octavo::detail {

namespace {

using Overlaps = std::vector<Overlap>;

// In the order of `to`. The runs of `from` lie in the order of their indices in the array.
Overlaps meet(const Runs& from, const Runs& to) {
  Overlaps found;
  for (const auto& mine : to) {
    if (mine.global == beyond_edge) continue;
    const auto end = mine.global + mine.length;
    auto theirs = std::partition_point(from.begin(), from.end(), [&](const Run& each) { return each.global + each.length <= mine.global; });
    for (; theirs != from.end() && theirs->global < end; ++theirs) {
      const auto lo = std::max(theirs->global, mine.global), hi = std::min(theirs->global + theirs->length, end);
      found.push_back({theirs->local + lo - theirs->global, mine.local + lo - mine.global, hi - lo});
    }
  }
  return found;
}

Overlaps as_target(const Runs& runs) {
  Overlaps all;
  for (const auto& each : runs) all.push_back({0, each.local, each.length});
  return all;
}

// Of the products of (inner or outer) over all axes those in which some axis is outer, each element once.
Strips around(const std::vector<Overlaps>& inner, const std::vector<Overlaps>& outer) {
  Strips strips;
  for (std::size_t first = 0; first < inner.size(); ++first) {
    Strip strip;
    for (std::size_t axis = 0; axis < inner.size(); ++axis) {
      strip.push_back(axis == first ? outer[axis] : inner[axis]);
      if (axis > first) strip.back().insert(strip.back().end(), outer[axis].begin(), outer[axis].end());
    }
    if (std::none_of(strip.begin(), strip.end(), [](const Overlaps& each) { return each.empty(); })) strips.push_back(std::move(strip));
  }
  return strips;
}

}  // namespace

Strips common_to(const Geometry& from, const Geometry& to) {
  Strip strip;
  for (std::size_t axis = 0; axis < from.own.size(); ++axis) {
    strip.push_back(meet(from.own[axis], to.own[axis]));
    if (strip.back().empty()) return {};
  }
  return {std::move(strip)};
}

Strips shown_of(const Geometry& from, const Geometry& to, const Shape& shape, boundary how) {
  if (from.empty() || to.empty()) return {};
  std::vector<Overlaps> inner, outer;
  for (std::size_t axis = 0; axis < from.own.size(); ++axis) {
    inner.push_back(meet(from.own[axis], to.own[axis]));
    outer.push_back(meet(from.own[axis], beyond(to, shape, static_cast<int>(axis), how)));
  }
  return around(inner, outer);
}

Strips beyond_array(const Geometry& of, const Shape& shape) {
  std::vector<Overlaps> inner, outer;
  if (of.empty()) return {};
  for (std::size_t axis = 0; axis < of.own.size(); ++axis) {
    Runs in_array = of.own[axis], not_in_array;
    for (const auto& each : beyond(of, shape, static_cast<int>(axis), boundary::value)) (each.global == beyond_edge ? not_in_array : in_array).push_back(each);
    inner.push_back(as_target(in_array));
    outer.push_back(as_target(not_in_array));
  }
  return around(inner, outer);
}

std::int64_t count_of(const Strips& strips) {
  std::int64_t all = 0;
  for (const auto& strip : strips) {
    std::int64_t count = 1;
    for (const auto& axis : strip) {
      std::int64_t length = 0;
      for (const auto& each : axis) length += each.length;
      count *= length;
    }
    all += count;
  }
  return all;
}

Walk::Walk(const Strips& strips, std::int64_t Overlap::*side, std::byte* data, const Shape& wide, std::int64_t item)
    : strips_(strips), side_(side), data_(data), wide_(wide), strides_(dense_strides(wide)) {
  for (int axis = 0; axis < wide.size(); ++axis) strides_[axis] *= item;
  at_.resize(static_cast<std::size_t>(wide.size()));
  if (!strips_.empty()) enter();
}

// Axes that are taken whole, from the last on, are one piece with what is before them.
void Walk::enter() {
  const auto& strip = strips_[strip_];
  inner_ = strip.size() - 1;
  auto is_whole = [&](std::size_t axis) {
    return strip[axis].size() == 1 && strip[axis][0].*side_ == 0 && strip[axis][0].length == wide_[static_cast<int>(axis)];
  };
  while (inner_ > 0 && is_whole(inner_)) --inner_;
  std::fill(at_.begin(), at_.end(), At());
  left_ = piece();
}

ByteSpan Walk::piece() const {
  const auto& strip = strips_[strip_];
  std::int64_t from = 0;
  for (std::size_t axis = 0; axis <= inner_; ++axis) from += (strip[axis][at_[axis].overlap].*side_ + at_[axis].offset) * strides_[static_cast<int>(axis)];
  return {data_ + from, static_cast<std::size_t>(strip[inner_][at_[inner_].overlap].length * strides_[static_cast<int>(inner_)])};
}

void Walk::advance() {
  const auto& strip = strips_[strip_];
  for (auto axis = static_cast<std::ptrdiff_t>(inner_); axis >= 0; --axis) {
    auto& at = at_[static_cast<std::size_t>(axis)];
    const auto& overlaps = strip[static_cast<std::size_t>(axis)];
    if (axis != static_cast<std::ptrdiff_t>(inner_) && ++at.offset < overlaps[at.overlap].length) break;
    at.offset = 0;
    if (++at.overlap < overlaps.size()) break;
    at.overlap = 0;
    if (axis == 0) {
      if (++strip_ < strips_.size()) enter();
      return;
    }
  }
  left_ = piece();
}

ByteSpan Walk::next(std::int64_t most) {
  if (left_.empty() && strip_ < strips_.size()) advance();
  const auto given = left_.first(std::min(left_.size(), static_cast<std::size_t>(most)));
  left_ = left_.subspan(given.size());
  return given;
}

void copy(Walk& from, Walk& to) {
  for (auto source = from.next(INT64_MAX); !source.empty(); source = from.next(INT64_MAX)) unpack(source, to);
}

void pack(Walk& from, ByteSpan to) {
  while (!to.empty()) {
    const auto piece = from.next(static_cast<std::int64_t>(to.size()));
    std::memcpy(to.data(), piece.data(), piece.size());
    to = to.subspan(piece.size());
  }
}

void unpack(ByteView from, Walk& to) {
  while (!from.empty()) {
    const auto piece = to.next(static_cast<std::int64_t>(from.size()));
    std::memcpy(piece.data(), from.data(), piece.size());
    from = from.subspan(piece.size());
  }
}

}  // namespace octavo::detail
