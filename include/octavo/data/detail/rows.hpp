// SPDX-License-Identifier: Apache-2.0
// Elements in memory as rows along the last axis, in C order: a view of spans, each a place in that memory.
//
//   for (std::span<double> row : octavo::detail::Rows<double>(holder, first, {3, 4}, {10, 1})) std::ranges::fill(row, 0);
//
// No views::iota: clang before 16 does not compile that of libstdc++. Contract: `holder` is held as long as the view is; iterators are the view's.
// Threading: as any memory. Failure: none.
#pragma once

#include <algorithm>
#include <compare>
#include <iterator>
#include <memory>
#include <ranges>
#include <span>

#include "octavo/data/box.hpp"

namespace octavo::detail {

template <class T>
class Rows {
 public:
  class Iterator;

  // `strides` in elements; the last is 1.
  Rows(std::shared_ptr<const void> holder, T* first, const Shape& shape, const Shape& strides)
      : holder_(std::move(holder)), first_(first), strides_(strides), across_(shape) {
    if (const int last = shape.size() - 1; last >= 0) {
      length_ = static_cast<std::size_t>(shape[last]);
      across_[last] = std::min<std::int64_t>(shape[last], 1);
    }
    count_ = across_.count();
  }

  [[nodiscard]] Iterator begin() const noexcept { return {this, 0}; }
  [[nodiscard]] Iterator end() const noexcept { return {this, count_}; }
  [[nodiscard]] std::size_t size() const noexcept { return static_cast<std::size_t>(count_); }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
  [[nodiscard]] std::span<T> operator[](std::int64_t number) const {
    const Shape index = unflatten(number, across_);
    std::int64_t place = 0;
    for (int axis = 0; axis < index.size(); ++axis) place += index[axis] * strides_[axis];
    return {first_ + place, length_};
  }

 private:
  std::shared_ptr<const void> holder_;
  T* first_;
  Shape strides_, across_;  // across_: one place for each row
  std::size_t length_ = 1;  // of an array without axes
  std::int64_t count_ = 0;
};

template <class T>
class Rows<T>::Iterator {
 public:
  using iterator_concept = std::random_access_iterator_tag;
  using iterator_category = std::input_iterator_tag;  // it gives spans, not references to some
  using value_type = std::span<T>;
  using difference_type = std::int64_t;
  using reference = std::span<T>;
  using pointer = void;

  Iterator() = default;
  Iterator(const Rows* rows, std::int64_t at) : rows_(rows), at_(at) {}

  std::span<T> operator*() const { return (*rows_)[at_]; }
  std::span<T> operator[](difference_type by) const { return (*rows_)[at_ + by]; }
  Iterator& operator++() { return *this += 1; }
  Iterator& operator--() { return *this -= 1; }
  Iterator operator++(int) { return {rows_, at_++}; }
  Iterator operator--(int) { return {rows_, at_--}; }
  Iterator& operator+=(difference_type by) {
    at_ += by;
    return *this;
  }
  Iterator& operator-=(difference_type by) { return *this += -by; }
  friend Iterator operator+(Iterator it, difference_type by) { return it += by; }
  friend Iterator operator+(difference_type by, Iterator it) { return it += by; }
  friend Iterator operator-(Iterator it, difference_type by) { return it -= by; }
  friend difference_type operator-(const Iterator& a, const Iterator& b) { return a.at_ - b.at_; }
  // Of one view.
  friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }
  friend std::strong_ordering operator<=>(const Iterator& a, const Iterator& b) { return a.at_ <=> b.at_; }

 private:
  const Rows* rows_ = nullptr;
  std::int64_t at_ = 0;
};

}  // namespace octavo::detail

template <class T>
inline constexpr bool std::ranges::enable_view<octavo::detail::Rows<T>> = true;
