// SPDX-License-Identifier: Apache-2.0
// One number of a type that is known when the program runs: what fills an array, or lies beyond its edge; what is left of a reduction.
// Threading: a value.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>

#include "octavo/data/dtype.hpp"

namespace octavo::detail {

// Of an array's type, or of that of its sums: integers have 64 bits there.
struct Scalar {
  dtype type = dtype::float64;
  std::array<std::byte, 16> bytes{};
  template <class T>
  static Scalar of(T value) {
    Scalar made{dtype_of<T>(), {}};
    std::memcpy(made.bytes.data(), &value, sizeof value);
    return made;
  }
  template <class T>
  [[nodiscard]] T as() const {
    T value{};
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
};

}  // namespace octavo::detail
