// SPDX-License-Identifier: Apache-2.0
#include "data/box_copy.hpp"

#include "data/io/convert.hpp"

namespace octavo {

namespace {

Shape byte_strides(const ArrayPage& block) {
  Shape strides = dense_strides(block.shape());
  for (int i = 0; i < strides.size(); ++i) strides[i] *= size_of(block.type());
  return strides;
}

std::int64_t offset_of(const Shape& index, const Shape& strides) {
  std::int64_t offset = 0;
  for (int i = 0; i < index.size(); ++i) offset += index[i] * strides[i];
  return offset;
}

}  // namespace

void copy_box(const ArrayPage& from, const Shape& from_at, ArrayPage& to, const Shape& to_at, const Shape& extents) {
  Shape from_strides = byte_strides(from), to_strides = byte_strides(to);
  Converter convert({from.type()}, {to.type()});
  convert.box(to.mutable_data() + offset_of(to_at, to_strides), to_strides, from.data() + offset_of(from_at, from_strides), from_strides, extents);
}

}  // namespace octavo
