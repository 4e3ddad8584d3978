// SPDX-License-Identifier: Apache-2.0
// The blocks that the function of octavo::blocks gets (blocks.hpp): one of each input, with the halo around it, to be read, and one to be written.
//
//   const auto mean = [](const ov::HaloBlock<float>& a, ov::OutBlock<float>& out) {
//     for (std::int64_t i = 0; i < out.shape()[0]; ++i)
//       for (std::int64_t j = 0; j < out.shape()[1]; ++j) out(i, j) = 0.25f * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1));
//   };
//   const auto first = [](const ov::HaloBlock<float, 2>& a, ov::OutBlock<float, 2>& out) { out(0, 0) = a(0, 0); };   // arrays of 2 axes alone fit
//
// Indices begin at the block's first element: the halo has negative ones, and ones from its shape on. They are memory as LocalElements are, with shape(),
// rows() and data(), and end with the call, but for those of a BlockRange. Elements of `out` that are not written are 0.
// Contract: BL-1. Threading: of the worker that calls. Failure: none; an index outside the halo is a mistake that nobody finds.
#pragma once

#include "octavo/data/local_elements.hpp"

namespace octavo {

namespace detail {

// Of one array, as a worker has it in memory.
struct BlockMemory {
  std::byte* first = nullptr;  // the block's first element
  Shape strides;               // in elements
  Box box, indices;
};

}  // namespace detail

// `axes`: of the arrays that it is for; 0: any.
template <class T, int axes, class Element>
class AnyBlock : public LocalElements<Element> {
 public:
  using value_type = T;
  explicit AnyBlock(const detail::BlockMemory& memory, std::shared_ptr<const void> holder = nullptr)
      : LocalElements<Element>(std::move(holder), reinterpret_cast<Element*>(memory.first), memory.box.extents(), memory.strides), box_(memory.box) {}

  template <std::convertible_to<std::int64_t>... Index>
    requires(axes == 0 || sizeof...(Index) == axes)
  [[nodiscard]] Element& operator()(Index... index) const noexcept { return LocalElements<Element>::operator()(index...); }
  // Where it lies in the array, without the halo.
  [[nodiscard]] const Box& box() const noexcept { return box_; }

 private:
  Box box_;
};

template <class T, int axes = 0>
class HaloBlock : public AnyBlock<T, axes, const T> {
 public:
  explicit HaloBlock(const detail::BlockMemory& memory, std::shared_ptr<const void> holder = nullptr)
      : AnyBlock<T, axes, const T>(memory, std::move(holder)), indices_(memory.indices) {}
  // All that it has, by its own indices: from -1 on where there is a halo of 1. With boundary::none there is none beyond the array's edge.
  [[nodiscard]] const Box& indices() const noexcept { return indices_; }
  // The same elements and those of the halo, from index 0 on.
  [[nodiscard]] LocalElements<const T> with_halo() const {
    std::int64_t before = 0;
    for (int axis = 0; axis < indices_.dims(); ++axis) before += indices_.lo[axis] * this->strides()[axis];
    return {this->holder(), this->data() + before, indices_.extents(), this->strides()};
  }
  // What its memory has, for a stream's bound.
  [[nodiscard]] std::uint64_t bytes() const { return static_cast<std::uint64_t>(indices_.count()) * sizeof(T); }

 private:
  Box indices_;
};

template <class T, int axes = 0>
using OutBlock = AnyBlock<T, axes, T>;

}  // namespace octavo
