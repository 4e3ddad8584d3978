// SPDX-License-Identifier: Apache-2.0
#include "octavo/data/box.hpp"

#include "octavo/base/error.hpp"

namespace octavo {

Shape::Shape(std::span<const std::int64_t> values) {
  for (auto value : values) push_back(value);
}

Shape Shape::filled(int size, std::int64_t value) {
  Shape result;
  for (int i = 0; i < size; ++i) result.push_back(value);
  return result;
}

void Shape::push_back(std::int64_t value) {
  if (size_ == max_dims) throw usage_error("an array has at most " + std::to_string(max_dims) + " dimensions");
  values_[static_cast<std::size_t>(size_++)] = value;
}

std::int64_t Shape::count(int first, int last) const {
  std::int64_t product = 1;
  for (int i = first; i < last; ++i)
    if (__builtin_mul_overflow(product, (*this)[i], &product)) throw usage_error("the shape " + text() + " has more than 2^63 elements");
  return product;
}

std::string Shape::text() const {
  std::string result;
  for (auto value : *this) result += (result.empty() ? "" : " x ") + std::to_string(value);
  return result.empty() ? "()" : result;
}

namespace {
constexpr const char* same_sources = "Caller and callee disagree about a type: build both from the same sources";
}

void Shape::refuse_size() {
  int size = std::exchange(size_, 0);
  throw io_error("a message could not be decoded: a shape of " + std::to_string(size) + " dimensions", same_sources);
}

void Box::check_dims() const {
  if (lo.size() != hi.size())
    throw io_error("a message could not be decoded: a box from " + std::to_string(lo.size()) + " to " + std::to_string(hi.size()) + " dimensions",
                   same_sources);
}

Shape Box::extents() const {
  Shape result;
  for (int i = 0; i < dims(); ++i) result.push_back(hi[i] - lo[i]);
  return result;
}

bool Box::empty() const {
  for (int i = 0; i < dims(); ++i)
    if (hi[i] <= lo[i]) return true;
  return false;
}

Box Box::intersect(const Box& other) const {
  Box result = *this;
  for (int i = 0; i < dims(); ++i) {
    result.lo[i] = std::max(lo[i], other.lo[i]);
    result.hi[i] = std::max(result.lo[i], std::min(hi[i], other.hi[i]));
  }
  return result;
}

Box Box::shifted(const Shape& by, int sign) const {
  Box result = *this;
  for (int i = 0; i < dims(); ++i) {
    result.lo[i] += sign * by[i];
    result.hi[i] += sign * by[i];
  }
  return result;
}

bool Box::contains(const Box& other) const {
  for (int i = 0; i < dims(); ++i)
    if (other.lo[i] < lo[i] || other.hi[i] > hi[i]) return false;
  return true;
}

std::string Box::text() const {
  std::string result = "[";
  for (int i = 0; i < dims(); ++i) result += (i ? ", " : "") + std::to_string(lo[i]) + ":" + std::to_string(hi[i]);
  return result + "]";
}

Shape dense_strides(const Shape& shape) {
  Shape result = Shape::filled(shape.size(), 1);
  for (int i = shape.size() - 2; i >= 0; --i) result[i] = result[i + 1] * shape[i + 1];
  return result;
}

Shape grid_of(const Shape& shape, const Shape& tile) {
  Shape result;
  for (int i = 0; i < shape.size(); ++i) result.push_back((shape[i] + tile[i] - 1) / tile[i]);
  return result;
}

std::int64_t count_tiles(const Box& box, const Shape& page) {
  if (box.empty()) return 0;
  Shape counts;
  for (int i = 0; i < box.dims(); ++i) counts.push_back((box.hi[i] - 1) / page[i] - box.lo[i] / page[i] + 1);
  return counts.count();
}

std::int64_t flatten(const Shape& index, const Shape& grid) {
  std::int64_t position = 0;
  for (int i = 0; i < grid.size(); ++i) position = position * grid[i] + index[i];
  return position;
}

Shape unflatten(std::int64_t position, const Shape& grid) {
  Shape index = Shape::filled(grid.size(), 0);
  for (int i = grid.size() - 1; i >= 0; --i) {
    index[i] = position % grid[i];
    position /= grid[i];
  }
  return index;
}

}  // namespace octavo
