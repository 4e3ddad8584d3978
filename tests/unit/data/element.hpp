// SPDX-License-Identifier: Apache-2.0
// Elements one at a time, the slow and obvious way: what the fast code is compared with.
#pragma once

#include <algorithm>
#include <complex>
#include <cstring>

#include "octavo/data/dtype.hpp"

namespace octavo::test {

inline void put_element(std::byte* at, dtype type, byte_order order, std::complex<double> value) {
  with_type(type, [&](auto example) {
    using T = decltype(example);
    T element;
    std::size_t part = sizeof(T);
    if constexpr (std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>) {
      element = T(static_cast<typename T::value_type>(value.real()), static_cast<typename T::value_type>(value.imag()));
      part /= 2;
    } else {
      element = static_cast<T>(value.real());
    }
    std::memcpy(at, &element, sizeof element);
    if (order == byte_order::big)
      for (std::size_t i = 0; i < sizeof(T); i += part) std::reverse(at + i, at + i + part);
  });
}

inline std::complex<double> get_element(const std::byte* at, dtype type, byte_order order) {
  return with_type(type, [&](auto element) -> std::complex<double> {
    using T = decltype(element);
    constexpr bool complex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
    std::byte bytes[sizeof(T)];
    std::memcpy(bytes, at, sizeof(T));
    std::size_t part = complex ? sizeof(T) / 2 : sizeof(T);
    if (order == byte_order::big)
      for (std::size_t i = 0; i < sizeof(T); i += part) std::reverse(bytes + i, bytes + i + part);
    std::memcpy(&element, bytes, sizeof(T));
    if constexpr (complex) return {static_cast<double>(element.real()), static_cast<double>(element.imag())};
    else return static_cast<double>(element);
  });
}

// A value that every type can hold: 0 to 100, and an imaginary part where there is one.
inline std::complex<double> sample(std::int64_t i, dtype type) {
  auto real = static_cast<double>(i * 7919 % 101);
  return is_complex(type) ? std::complex<double>(real, static_cast<double>(i * 31 % 97)) : real;
}

inline bool convertible(dtype from, dtype to) {
  bool real_to_float = !is_complex(from) && (to == dtype::float32 || to == dtype::float64 || is_complex(to));
  return from == to || real_to_float || (is_complex(from) && is_complex(to));
}

}  // namespace octavo::test
