// SPDX-License-Identifier: Apache-2.0
// How much memory an item has, for a stream's bound in bytes: itself, and what containers in it have, as far as that can be told.
//
//   struct Image { std::vector<float> pixels; std::size_t bytes() const; };   // a type of one's own says it by bytes(), in which is its own size
#pragma once

#include <concepts>
#include <cstdint>
#include <type_traits>

namespace octavo::stream {

template <class T>
concept says_bytes = requires(const T& value) {
  { value.bytes() } -> std::convertible_to<std::uint64_t>;
};
template <class T>
concept contiguous = requires(const T& value) {
  { value.data() } -> std::convertible_to<const void*>;
  { value.size() } -> std::convertible_to<std::uint64_t>;
  typename T::value_type;
};

// Types whose memory is their own size alone are counted by items.
template <class T>
inline constexpr bool counts_bytes = says_bytes<T> || contiguous<T>;

template <class T>
std::uint64_t bytes_of(const T& value) {
  if constexpr (says_bytes<T>) return value.bytes();
  else if constexpr (contiguous<T>) return sizeof(T) + value.size() * sizeof(typename T::value_type);
  else return sizeof(T);
}

}  // namespace octavo::stream
