// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>
#include <numeric>

#include "data/permute.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

Shape dense_byte_strides(const Shape& shape, std::int64_t element_size) {
  Shape strides = dense_strides(shape);
  for (int i = 0; i < strides.size(); ++i) strides[i] *= element_size;
  return strides;
}

std::int64_t byte_offset(const Shape& index, const Shape& byte_strides) {
  return std::inner_product(index.begin(), index.end(), byte_strides.begin(), std::int64_t{0});
}

namespace {

bool has_each_axis(const Shape& order) {
  for (int axis = 0; axis < order.size(); ++axis)
    if (std::find(order.begin(), order.end(), axis) == order.end()) return false;
  return true;
}

}  // namespace

void check_order(const Shape& order, int dims) {
  if (order.size() == 0) return;
  if (order.size() != dims || !has_each_axis(order))
    throw usage_error("the order of axes (" + order.text() + ") of an array of " + std::to_string(dims) + " dimensions",
                      "Name each axis once, from 0 to " + std::to_string(dims - 1) + ", or none for the order in which they are stored");
}

bool is_identity(const Shape& order) {
  for (int i = 0; i < order.size(); ++i)
    if (order[i] != i) return false;
  return true;
}

Shape permuted(const Shape& values, const Shape& order) {
  if (order.size() == 0) return values;
  Shape result;
  for (auto axis : order) result.push_back(values[static_cast<int>(axis)]);
  return result;
}

Shape inverse(const Shape& order) {
  Shape result = order;
  for (int i = 0; i < order.size(); ++i) result[static_cast<int>(order[i])] = i;
  return result;
}

void permute_in_place(std::byte* data, const Shape& shape, const Shape& order, std::int64_t element_size) {
  if (is_identity(order)) return;
  int fixed = 0;
  while (order[fixed] == fixed) ++fixed;
  Shape inner, turned;  // of the axes that move
  for (int i = fixed; i < shape.size(); ++i) inner.push_back(shape[i]), turned.push_back(order[i] - fixed);
  std::int64_t bytes = inner.count() * element_size;
  auto to_strides = dense_byte_strides(permuted(inner, turned), element_size);
  auto from_strides = permuted(dense_byte_strides(inner, element_size), turned);
  auto copy = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
  for (std::int64_t i = 0, blocks = shape.count(0, fixed); i < blocks; ++i, data += bytes) {
    std::memcpy(copy.get(), data, static_cast<std::size_t>(bytes));
    copy_strided(data, to_strides, copy.get(), from_strides, permuted(inner, turned), element_size);
  }
}

}  // namespace octavo
