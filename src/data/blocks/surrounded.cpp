// SPDX-License-Identifier: Apache-2.0
#include "data/blocks/surrounded.hpp"

#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <utility>

#include "data/blocks/edges.hpp"
#include "data/permute.hpp"
#include "octavo/base/error.hpp"

namespace octavo::detail {

namespace {

// Dense memory in which a part of the array lies, and some of what is beyond it.
class WideMemory {
 public:
  WideMemory(std::byte* data, const Box& wide, std::int64_t item) : data_(data), wide_(wide), item_(item), strides_(dense_byte_strides(wide.extents(), item)) {}

  // By indices of the memory.
  [[nodiscard]] std::byte* at(const Shape& index) const { return data_ + byte_offset(index, strides_); }
  [[nodiscard]] const Shape& strides() const { return strides_; }
  [[nodiscard]] const Box& wide() const { return wide_; }

  // What is beyond the edge along this axis, in `known`, which is what the memory has so far, and grows.
  void fill(Box& known, int axis, std::int64_t extent, const ShownBeyond& edges) const {
    Runs runs;
    const auto first = wide_.lo[axis], count = wide_.hi[axis] - first;
    show(runs, first, 0, known.lo[axis] - first, extent, edges.how);
    show(runs, first, known.hi[axis] - first, count, extent, edges.how);
    Box slab = known.shifted(wide_.lo, -1);
    for (const auto& each : runs) {
      slab.lo[axis] = each.local;
      slab.hi[axis] = each.local + each.length;
      if (each.global == beyond_edge) {
        copy_strided(at(slab.lo), strides_, edges.element.data(), Shape::filled(slab.dims(), 0), slab.extents(), item_);
        continue;
      }
      Shape shown = slab.lo;
      shown[axis] = each.global - first;
      copy_strided(at(slab.lo), strides_, at(shown), strides_, slab.extents(), item_);
    }
    known.lo[axis] = first;
    known.hi[axis] = first + count;
  }

 private:
  std::byte* data_;
  Box wide_;
  std::int64_t item_;
  Shape strides_;
};

// Where an axis goes round, the parts that lie on the other side are read there.
void read_round(const Array& from, const WideMemory& to, dtype as, std::int64_t window) {
  std::vector<Runs> along;
  Shape counts;
  for (int axis = 0; axis < to.wide().dims(); ++axis) {
    const auto first = to.wide().lo[axis];
    show(along.emplace_back(), first, 0, to.wide().hi[axis] - first, from.shape()[axis], boundary::periodic);
    counts.push_back(static_cast<std::int64_t>(along.back().size()));
  }
  for_each_index(counts, [&](const Shape& number) {
    Box part;
    Shape place;
    for (int axis = 0; axis < counts.size(); ++axis) {
      const Run& run = along[static_cast<std::size_t>(axis)][static_cast<std::size_t>(number[axis])];
      part.lo.push_back(run.global);
      part.hi.push_back(run.global + run.length);
      place.push_back(run.local);
    }
    from.read_into(Selection::of(part), to.at(place), to.strides(), as, window);
  });
}

// Numbers that are no integers are rounded.
template <class To, class From>
bool is_exact(From number) {
  if constexpr (!std::is_integral_v<To>) {
    return true;
  } else if constexpr (std::is_integral_v<From>) {
    return std::in_range<To>(number);
  } else {
    using Limits = std::numeric_limits<To>;
    return std::trunc(number) == number && number >= static_cast<double>(Limits::min()) && number < std::ldexp(1.0, Limits::digits);
  }
}

template <class From>
std::vector<std::byte> element_from(From number, dtype type) {
  return with_type(type, [&](auto zero) {
    using To = decltype(zero);
    constexpr bool from_complex = std::is_same_v<From, std::complex<double>>;
    if constexpr (!std::is_arithmetic_v<To>) {
      if constexpr (from_complex) zero = To(number);
      else zero = To(static_cast<typename To::value_type>(number));
    } else {
      bool fits = !from_complex;
      if constexpr (!from_complex) {
        fits = is_exact<To>(number);
        if (fits) zero = static_cast<To>(number);
      }
      if (!fits)
        throw usage_error("a number beyond the edge that no element of " + std::string(name_of(type)) + " is", "Give halo() one that all inputs can have");
    }
    const auto* first = reinterpret_cast<const std::byte*>(&zero);
    return std::vector<std::byte>(first, first + sizeof zero);
  });
}

}  // namespace

Box with_halo(const Box& box, const Shape& widths, const Shape& shape, boundary how) {
  Box wide = box;
  for (int axis = 0; axis < box.dims(); ++axis) {
    wide.lo[axis] -= widths[axis];
    wide.hi[axis] += widths[axis];
  }
  return how == boundary::none ? wide.intersect(Box::whole(shape)) : wide;
}

void read_surrounded(const Array& from, const Box& wide, const ShownBeyond& edges, dtype as, std::byte* to, std::int64_t window) {
  const WideMemory memory(to, wide, size_of(as));
  if (edges.how == boundary::periodic) return read_round(from, memory, as, window);
  Box known = wide.intersect(Box::whole(from.shape()));
  from.read_into(Selection::of(known), memory.at(known.shifted(wide.lo, -1).lo), memory.strides(), as, window);
  for (int axis = 0; axis < wide.dims(); ++axis)
    if (known.lo[axis] != wide.lo[axis] || known.hi[axis] != wide.hi[axis]) memory.fill(known, axis, from.shape()[axis], edges);
}

std::vector<std::byte> element_of(const Scalar& number, dtype type) {
  switch (number.type) {
    case dtype::int64: return element_from(number.as<std::int64_t>(), type);
    case dtype::uint64: return element_from(number.as<std::uint64_t>(), type);
    case dtype::complex128: return element_from(number.as<std::complex<double>>(), type);
    default: return element_from(number.as<double>(), type);
  }
}

}  // namespace octavo::detail
