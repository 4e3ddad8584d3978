// SPDX-License-Identifier: Apache-2.0
// Copies elements between layouts, element types and byte orders.
//
//   Converter to_memory({dtype::float32, byte_order::big}, {dtype::complex64, native_order});
//   to_memory.rows(out, out_stride, in, in_stride, rows, elements);
//
// Allowed: equal types; any real or integer type to float32, float64, complex64, complex128; complex64 to complex128 and back.
// Others throw not_supported in the constructor. Neither side needs any alignment. Threading: immutable.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "octavo/data/box.hpp"
#include "octavo/data/dtype.hpp"

namespace octavo {

inline constexpr byte_order native_order = std::endian::native == std::endian::little ? byte_order::little : byte_order::big;

struct ElementForm {
  dtype type;
  byte_order order = native_order;
};

// Strides are bytes between rows; elements of a row are next to each other. A stride may be 0 on the side that is read.
using RowCopy = void(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride, std::int64_t rows, std::int64_t elements);

class Converter {
 public:
  Converter(ElementForm from, ElementForm to);

  void rows(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride, std::int64_t rows, std::int64_t elements) const {
    copy_(to, to_stride, from, from_stride, rows, elements);
  }
  // Whether an element is other bytes afterwards.
  [[nodiscard]] bool changes() const noexcept { return changes_; }
  // Any number of dimensions; strides in bytes, of every axis.
  void box(std::byte* to, const Shape& to_strides, const std::byte* from, const Shape& from_strides, const Shape& extents) const;

 private:
  RowCopy* copy_;
  std::int64_t from_bytes_, to_bytes_;  // of an element
  bool changes_;
};

// One element in another type, both in native order.
std::vector<std::byte> converted_element(const std::vector<std::byte>& element, dtype from, dtype to);

namespace detail {
// The loop for one pair of forms; null where the pair is not allowed. In a file of its own: it is compiled for speed.
RowCopy* row_copy(ElementForm from, ElementForm to);
}  // namespace detail

}  // namespace octavo
