// SPDX-License-Identifier: Apache-2.0
// What `u[i][j]` of a buffered array is: a row until all indices are there, then a value, or a reference by which the element can be written.
//
//   float x = u[i][j];   u[i][j] = 2 * x;   u[i][j] += u[i][j - 1];   ++u[i][j];   std::swap(u[i][j], u[j][i]);   std::cout << u[i][j];
//
// A reference is for the expression it stands in: it holds no address, and looks for its element whenever it is read or written. `auto x = u[i][j]` is such a
// reference, so write the type. Its operators are those that T has. Threading and failure: as the array.
#pragma once

#include <concepts>
#include <cstdint>
#include <iosfwd>
#include <type_traits>
#include <utility>

#include "octavo/data/buffered/detail/block_table.hpp"

namespace octavo {

template <class T>
class ElementReference;
template <class T>
void swap_elements(const ElementReference<T>& a, const ElementReference<T>& b) {
  const T kept = a;
  a = static_cast<T>(b);
  b = kept;
}

template <class T>
class ElementReference {
 public:
  ElementReference(const detail::BlockTable& table, const detail::Position& at) : table_(&table), at_(at) {}
  ElementReference(const ElementReference&) = default;
  ~ElementReference() = default;

  operator T() const { return table_->read<T>(at_); }  // NOLINT(google-explicit-constructor): it stands for the element
  // Const: it is another element that changes, not this.
  const ElementReference& operator=(const T& value) const {
    table_->write(at_, value);
    return *this;
  }
  const ElementReference& operator=(const ElementReference& other) const { return *this = static_cast<T>(other); }
  ElementReference& operator=(const ElementReference& other) {
    std::as_const(*this) = static_cast<T>(other);
    return *this;
  }
  const ElementReference& operator+=(const T& by) const { return *this = static_cast<T>(static_cast<T>(*this) + by); }
  const ElementReference& operator-=(const T& by) const { return *this = static_cast<T>(static_cast<T>(*this) - by); }
  const ElementReference& operator*=(const T& by) const { return *this = static_cast<T>(static_cast<T>(*this) * by); }
  const ElementReference& operator/=(const T& by) const { return *this = static_cast<T>(static_cast<T>(*this) / by); }
  const ElementReference& operator%=(const T& by) const requires std::integral<T> { return *this = static_cast<T>(static_cast<T>(*this) % by); }
  const ElementReference& operator&=(const T& by) const requires std::integral<T> { return *this = static_cast<T>(static_cast<T>(*this) & by); }
  const ElementReference& operator|=(const T& by) const requires std::integral<T> { return *this = static_cast<T>(static_cast<T>(*this) | by); }
  const ElementReference& operator^=(const T& by) const requires std::integral<T> { return *this = static_cast<T>(static_cast<T>(*this) ^ by); }
  const ElementReference& operator<<=(int by) const requires std::integral<T> { return *this = static_cast<T>(static_cast<T>(*this) << by); }
  const ElementReference& operator>>=(int by) const requires std::integral<T> { return *this = static_cast<T>(static_cast<T>(*this) >> by); }
  const ElementReference& operator++() const requires std::is_arithmetic_v<T> { return *this += T{1}; }
  const ElementReference& operator--() const requires std::is_arithmetic_v<T> { return *this -= T{1}; }
  T operator++(int) const requires std::is_arithmetic_v<T> {
    const T before = *this;
    ++*this;
    return before;
  }
  T operator--(int) const requires std::is_arithmetic_v<T> {
    const T before = *this;
    --*this;
    return before;
  }
  // Of complex numbers, too, whose own operators are templates that look for no conversion.
  friend std::ostream& operator<<(std::ostream& to, const ElementReference& element) { return to << static_cast<T>(element); }
  // The elements, not these.
  friend void swap(ElementReference a, ElementReference b) { swap_elements(a, b); }
  friend void swap(ElementReference a, T& b) { a = std::exchange(b, static_cast<T>(a)); }
  friend void swap(T& a, ElementReference b) { swap(b, a); }

 private:
  const detail::BlockTable* table_;
  detail::Position at_;
};

// T is const where the array is.
template <class T, int Left, int Axis = 0>
class Indexed {
 public:
  Indexed(const detail::BlockTable& table, const detail::Position& at) : table_(&table), at_(at) {}
  decltype(auto) operator[](std::int64_t index) const { return next(*table_, at_, index); }

  // With one index more.
  static auto next(const detail::BlockTable& table, const detail::Position& before, std::int64_t index) {
    const detail::Position at = Left == 1 ? table.along_last(Axis, index, before) : table.along(Axis, index, before);
    if constexpr (Left > 1) return Indexed<T, Left - 1, Axis + 1>(table, at);
    else if constexpr (std::is_const_v<T>) return table.read<std::remove_const_t<T>>(at);
    else return ElementReference<T>(table, at);
  }

 private:
  const detail::BlockTable* table_;
  detail::Position at_;
};

}  // namespace octavo

// As for std::vector<bool>: the one for all types would keep what a reference stands for, and not its value, and lose it.
namespace std {  // NOLINT(cert-dcl58-cpp)
template <class T>
void swap(octavo::ElementReference<T> a, octavo::ElementReference<T> b) {
  octavo::swap_elements(a, b);
}
}  // namespace std
