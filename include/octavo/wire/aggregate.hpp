// SPDX-License-Identifier: Apache-2.0
// The fields of an aggregate, found without any declaration (up to 16).
//
//   struct Point { double x, y; };
//   for_each_field(point, [](auto&... field) { print(field...); });
//
// Aggregates with base classes or array members are not counted right: give those a serialize() of their own.
#pragma once

#include <array>
#include <cereal/cereal.hpp>
#include <complex>
#include <type_traits>
#include <utility>

namespace octavo::wire {

namespace detail {

struct any_value {
  template <class T>
  operator T() const {  // implicit, found by overload resolution, never called
    __builtin_unreachable();
  }
};

template <class T, std::size_t... I>
constexpr bool braces_take(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), any_value{})...}; };
}

template <class T, std::size_t N = 16>
constexpr std::size_t field_count() {
  if constexpr (N == 0) return 0;
  else if constexpr (braces_take<T>(std::make_index_sequence<N>())) return N;
  else return field_count<T, N - 1>();
}

template <class T>
struct is_std_array : std::false_type {};
template <class T, std::size_t N>
struct is_std_array<std::array<T, N>> : std::true_type {};

}  // namespace detail

namespace detail {
// The convention of cereal for what one number or text stands for: save_minimal, load_minimal.
template <class T, class Archive>
consteval bool is_minimal() {
  if constexpr (std::is_base_of_v<cereal::detail::OutputArchiveBase, Archive>)
    return cereal::traits::has_member_save_minimal<T, Archive>::value || cereal::traits::has_non_member_save_minimal<T, Archive>::value;
  else return cereal::traits::has_member_load_minimal<T, Archive>::value || cereal::traits::has_non_member_load_minimal<T, Archive>::value;
}
}  // namespace detail

// True where T is an aggregate that follows no convention of its own.
template <class T, class Archive>
concept plain_aggregate = std::is_aggregate_v<T> && !std::is_array_v<T> && !detail::is_std_array<T>::value && !std::is_union_v<T> &&
                          !cereal::traits::has_member_serialize<T, Archive>::value && !cereal::traits::has_member_save<T, Archive>::value &&
                          !cereal::traits::has_member_load<T, Archive>::value && !cereal::traits::has_non_member_save<T, Archive>::value &&
                          !cereal::traits::has_non_member_load<T, Archive>::value && !detail::is_minimal<T, Archive>();

template <class T, class Visit>
decltype(auto) for_each_field(T& value, Visit&& visit) {
  constexpr std::size_t n = detail::field_count<std::remove_const_t<T>>();
  static_assert(n <= 16, "an aggregate of more than 16 fields needs a serialize() of its own");
#define OCTAVO_FIELDS(count, ...) \
  if constexpr (n == count) {     \
    auto& [__VA_ARGS__] = value;  \
    return visit(__VA_ARGS__);    \
  } else
  OCTAVO_FIELDS(1, a)
  OCTAVO_FIELDS(2, a, b)
  OCTAVO_FIELDS(3, a, b, c)
  OCTAVO_FIELDS(4, a, b, c, d)
  OCTAVO_FIELDS(5, a, b, c, d, e)
  OCTAVO_FIELDS(6, a, b, c, d, e, f)
  OCTAVO_FIELDS(7, a, b, c, d, e, f, g)
  OCTAVO_FIELDS(8, a, b, c, d, e, f, g, h)
  OCTAVO_FIELDS(9, a, b, c, d, e, f, g, h, i)
  OCTAVO_FIELDS(10, a, b, c, d, e, f, g, h, i, j)
  OCTAVO_FIELDS(11, a, b, c, d, e, f, g, h, i, j, k)
  OCTAVO_FIELDS(12, a, b, c, d, e, f, g, h, i, j, k, l)
  OCTAVO_FIELDS(13, a, b, c, d, e, f, g, h, i, j, k, l, m)
  OCTAVO_FIELDS(14, a, b, c, d, e, f, g, h, i, j, k, l, m, o)
  OCTAVO_FIELDS(15, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p)
  OCTAVO_FIELDS(16, a, b, c, d, e, f, g, h, i, j, k, l, m, o, p, q)
  return visit();
#undef OCTAVO_FIELDS
}

namespace detail {
template <class T, class Archive>
struct is_flat : std::bool_constant<(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) || std::is_enum_v<T>> {};  // not each byte is a bool
template <class T, class Archive>
struct is_flat<std::complex<T>, Archive> : std::true_type {};
template <class T, std::size_t N, class Archive>
struct is_flat<std::array<T, N>, Archive> : is_flat<T, Archive> {};
template <class T, class Archive>
struct all_flat {  // and no padding between them
  template <class... Field>
  auto operator()(Field&...) const
      -> std::bool_constant<((is_flat<std::remove_cv_t<Field>, Archive>::value && ...) && (sizeof(Field) + ... + 0) == sizeof(T))> {
    return {};
  }
};
template <class T, class Archive>
  requires(std::is_trivially_copyable_v<T>&& std::is_default_constructible_v<T> && !std::is_empty_v<T> && plain_aggregate<T, Archive>)
struct is_flat<T, Archive> : decltype(for_each_field(std::declval<T&>(), all_flat<T, Archive>())) {};
}  // namespace detail

// True where the bytes of a T are its value, and no convention of its own says otherwise: many of them travel as one piece of memory.
template <class T, class Archive>
concept flat = detail::is_flat<T, Archive>::value;

}  // namespace octavo::wire
