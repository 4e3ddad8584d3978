// SPDX-License-Identifier: Apache-2.0
// In which type reductions of elements are done, and how a run of them is folded.
//
//   using Wide = decltype(wide_type<float>());                       // double
//   fold<Sum>(Wide{}, first, count);
//
// Threading: pure.
#pragma once

#include <array>
#include <complex>
#include <cstdint>
#include <string>
#include <type_traits>

#include "octavo/base/element_operations.hpp"
#include "octavo/distributed/detail/facts.hpp"

namespace octavo::detail {

template <class T>
inline constexpr bool is_complex_number = std::is_class_v<T>;

// The type of a sum: integers have 64 bits, others stay what they are, but are added up in double.
template <class T>
auto sum_type() {
  if constexpr (std::is_integral_v<T>) return std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>{};
  else return T{};
}
template <class T>
auto wide_type() {
  if constexpr (std::is_same_v<T, float>) return double{};
  else if constexpr (std::is_same_v<T, std::complex<float>>) return std::complex<double>{};
  else return sum_type<T>();
}

// Several at a time: one addition does not wait for the one before it.
template <class Op, class A, class T>
A fold(A into, const T* first, std::size_t count) {
  constexpr std::size_t lanes = 8;
  if (count < 2 * lanes) {
    for (std::size_t i = 0; i < count; ++i) into = Op::of(into, static_cast<A>(first[i]));
    return into;
  }
  std::array<A, lanes> all;
  for (std::size_t lane = 0; lane < lanes; ++lane) all[lane] = static_cast<A>(first[lane]);
  std::size_t i = lanes;
  for (; i + lanes <= count; i += lanes)
    for (std::size_t lane = 0; lane < lanes; ++lane) all[lane] = Op::of(all[lane], static_cast<A>(first[i + lane]));
  for (const auto& each : all) into = Op::of(into, each);
  for (; i < count; ++i) into = Op::of(into, static_cast<A>(first[i]));
  return into;
}

[[nodiscard]] std::string text_of(reduction how);
// Of none it is a usage_error.
[[nodiscard]] bool needs_elements(reduction how);
[[noreturn]] void refuse_order_of_complex();

}  // namespace octavo::detail
