// SPDX-License-Identifier: Apache-2.0
// Little-endian integers in bytes of any alignment.
#pragma once

#include <cstddef>
#include <type_traits>

namespace octavo {

template <class T>
T little(const std::byte* at) {
  static_assert(std::is_unsigned_v<T>);
  T value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) value = static_cast<T>(value << 8) | static_cast<T>(at[i]);
  return value;
}

template <class T>
void put_little(std::byte* at, T value) {
  static_assert(std::is_unsigned_v<T>);
  for (std::size_t i = 0; i < sizeof(T); ++i) at[i] = static_cast<std::byte>(value >> 8 * i);
}

}  // namespace octavo
