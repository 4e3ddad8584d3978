// SPDX-License-Identifier: Apache-2.0
// What reductions do with two elements, as NumPy does it: integers wrap around, and a NaN is both the least and the greatest.
//
//   const float least = Least::of(a, b);
//
// Threading: pure.
#pragma once

#include <cstdint>
#include <type_traits>

namespace octavo::detail {

template <class T>
bool is_nan(const T& value) {
  if constexpr (std::is_floating_point_v<T>) return value != value;
  else return false;
}

struct Sum {
  template <class A>
  static A of(A a, A b) {
    return wrapped<A>(a, b, [](auto x, auto y) { return x + y; });
  }
  template <class A, class Op>
  static A wrapped(A a, A b, Op op) {
    if constexpr (std::is_integral_v<A>) return static_cast<A>(op(static_cast<std::uint64_t>(a), static_cast<std::uint64_t>(b)));
    else return op(a, b);
  }
};
struct Product {
  template <class A>
  static A of(A a, A b) {
    return Sum::wrapped<A>(a, b, [](auto x, auto y) { return x * y; });
  }
};
struct Least {
  template <class A>
  static A of(A a, A b) {
    return a < b || is_nan(a) ? a : b;
  }
};
struct Greatest {
  template <class A>
  static A of(A a, A b) {
    return a > b || is_nan(a) ? a : b;
  }
};

}  // namespace octavo::detail
