// SPDX-License-Identifier: Apache-2.0
// The elements of a buffered array in C order, as the standard algorithms take them: a random access iterator of C++20, whose reference is that of [].
//
//   std::int64_t sum = std::inner_product(x.begin(), x.end(), y.begin(), std::int64_t{0});
//   std::ranges::for_each(x, [](auto&& element) { element = 2 * element; });
//   std::ranges::sort(x.begin(), x.begin() + 1000);
//
// Each step looks for its element, as [] does; with several axes it divides to find the index. Where that matters go by blocks. A sort of more than the buffers
// hold goes to the disk for every comparison. Tried with the standard library of g++ 12: accumulate, inner_product, transform_reduce, fill, iota, copy,
// for_each, find, count_if, min_element, reverse, sort, lower_bound, and those of std::ranges. Threading and failure: as the array.
#pragma once

#include <compare>
#include <iterator>

#include "octavo/data/buffered/element.hpp"

namespace octavo {

// T is const where the array is.
template <class T, int N>
class ElementIterator {
 public:
  using value_type = std::remove_const_t<T>;
  using difference_type = std::ptrdiff_t;
  using reference = std::conditional_t<std::is_const_v<T>, value_type, ElementReference<value_type>>;
  using pointer = void;
  using iterator_category = std::random_access_iterator_tag;
  using iterator_concept = std::random_access_iterator_tag;

  ElementIterator() = default;
  ElementIterator(const detail::BlockTable& table, const Shape& shape, std::int64_t at) : table_(&table), shape_(shape), at_(at) {}

  reference operator*() const {
    if constexpr (std::is_const_v<T>) return table_->template read<value_type>(position());
    else return {*table_, position()};
  }
  reference operator[](difference_type by) const { return *(*this + by); }
  ElementIterator& operator+=(difference_type by) {
    at_ += by;
    return *this;
  }
  ElementIterator& operator-=(difference_type by) { return *this += -by; }
  ElementIterator& operator++() { return *this += 1; }
  ElementIterator& operator--() { return *this += -1; }
  ElementIterator operator++(int) { return std::exchange(*this, *this + 1); }
  ElementIterator operator--(int) { return std::exchange(*this, *this - 1); }
  friend ElementIterator operator+(ElementIterator from, difference_type by) { return from += by; }
  friend ElementIterator operator+(difference_type by, ElementIterator from) { return from += by; }
  friend ElementIterator operator-(ElementIterator from, difference_type by) { return from -= by; }
  friend difference_type operator-(const ElementIterator& a, const ElementIterator& b) { return a.at_ - b.at_; }
  bool operator==(const ElementIterator& other) const { return at_ == other.at_; }
  auto operator<=>(const ElementIterator& other) const { return at_ <=> other.at_; }

 private:
  [[nodiscard]] detail::Position position() const {
    if constexpr (N == 1) return table_->along_last(0, at_, {});
    detail::Position found;
    std::int64_t rest = at_;
    for (int axis = N - 1; axis >= 0; --axis) {
      found = table_->along(axis, rest % shape_[axis], found);
      rest /= shape_[axis];
    }
    return found;
  }
  const detail::BlockTable* table_ = nullptr;
  Shape shape_;
  std::int64_t at_ = 0;
};

}  // namespace octavo
