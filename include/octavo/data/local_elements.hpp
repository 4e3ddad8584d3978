// SPDX-License-Identifier: Apache-2.0
// Elements of an array in this process: ordinary memory, in rows along the last axis. Those that a member has of a distributed array, or those of a block.
//
//   for (std::span<double> row : a.local().rows()) for (double& x : row) x *= 2;
//   auto u = a.with_halo();                                  // the same memory, with the border around it
//   for (std::int64_t i = 1; i + 1 < u.shape()[0]; ++i) u(i, 0) = u(i - 1, 0) + u(i + 1, 0);
//
// Indices begin at 0 in this part; `local_indices`, or the block's box, says which element of the array that is. Of a distributed array it lives as long as it
// is held, also when the array does not.
// Threading: as any memory. Failure: none; an index outside is a mistake that nobody finds.
#pragma once

#include <concepts>
#include <memory>
#include <span>

#include "octavo/data/box.hpp"
#include "octavo/data/detail/rows.hpp"

namespace octavo {

template <class T>
class LocalElements {
 public:
  LocalElements(std::shared_ptr<const void> holder, T* first, const Shape& shape, const Shape& strides)
      : holder_(std::move(holder)), first_(first), shape_(shape), strides_(strides) {}

  [[nodiscard]] const Shape& shape() const noexcept { return shape_; }
  // In elements; the last is 1.
  [[nodiscard]] const Shape& strides() const noexcept { return strides_; }
  [[nodiscard]] std::int64_t size() const { return shape_.count(); }
  [[nodiscard]] T* data() const noexcept { return first_; }
  [[nodiscard]] bool contiguous() const { return strides_ == dense_strides(shape_); }

  template <std::convertible_to<std::int64_t>... Index>
  [[nodiscard]] T& operator()(Index... index) const noexcept {
    int axis = 0;
    std::int64_t place = 0;
    // Without the factor 1 of the last axis a loop along it is one over memory that lies side by side, for the compiler too.
    ((place += static_cast<std::int64_t>(index) * (axis + 1 == static_cast<int>(sizeof...(Index)) ? 1 : strides_[axis]), ++axis), ...);
    return first_[place];
  }
  // Along the last axis, in C order.
  [[nodiscard]] auto rows() const { return detail::Rows<T>(holder_, first_, shape_, strides_); }

 protected:
  [[nodiscard]] const std::shared_ptr<const void>& holder() const noexcept { return holder_; }

 private:
  std::shared_ptr<const void> holder_;
  T* first_;
  Shape shape_, strides_;
};

}  // namespace octavo
