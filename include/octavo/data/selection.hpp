// SPDX-License-Identifier: Apache-2.0
// Which elements of an array: on each axis some that lie at equal distances. Written as Python writes it.
//
//   using octavo::Slice;
//   octavo::Selection plane = octavo::select({512, 512, 512}, {Slice::all, 100});                  // a[:, 100]
//   octavo::Selection some = octavo::select({512, 512, 512}, {{0, 16, 2}, {-8, Slice::end}, 5});   // a[0:16:2, -8:, 5]
//
// Numbers count from the end where they are negative, slices are cut to the array, axes that are not named are taken whole; a single index
// selects one element of its axis, which keeps its place with the extent 1. Values. Failure: usage_error for an index outside the array, a step
// below 1, more slices than axes.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "octavo/data/box.hpp"

namespace octavo {

class Slice {
  struct Whole {};

 public:
  static constexpr Whole all{}, end{};                          // of its axis
  Slice(Whole /*axis*/) {}                                      // NOLINT(google-explicit-constructor): {all, 5}
  Slice(std::int64_t index) : from_(index), is_index_(true) {}  // NOLINT(google-explicit-constructor)
  Slice(std::int64_t from, std::int64_t to, std::int64_t step = 1) : from_(from), to_(to), step_(step) {}
  Slice(std::int64_t from, Whole /*rest*/, std::int64_t step = 1) : from_(from), step_(step) {}
  // Of an axis of so many elements.
  void resolve(std::int64_t extent, std::int64_t& lo, std::int64_t& count, std::int64_t& step) const;

 private:
  std::int64_t from_ = 0, to_ = INT64_MAX, step_ = 1;
  bool is_index_ = false;
};

// The elements lo + i * step, i < count, on each axis; step >= 1. No count, no elements.
struct Selection {
  Shape lo, count, step;

  static Selection of(const Box& box) { return {box.lo, box.extents(), Shape::filled(box.dims(), 1)}; }
  [[nodiscard]] std::string text() const;  // "[0:16:2, 5:6:1]"
};

Selection select(const Shape& shape, std::initializer_list<Slice> slices);

}  // namespace octavo
