// SPDX-License-Identifier: Apache-2.0
// The fields of an aggregate, found without any declaration (up to 64).
//
//   struct Point { double x, y; };
//   for_each_field(point, [](auto&... field) { print(field...); });
//
// Aggregates with base classes or C arrays are refused, with the cure: see field_count.hpp.
#pragma once

#include <array>
#include <cereal/cereal.hpp>
#include <complex>
#include <type_traits>
#include <utility>

#include "octavo/wire/field_count.hpp"

namespace octavo::wire {

namespace detail {

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

// The names of structured bindings, by eights: p1 to p8, with those before.
#define OCTAVO_NAMES_1(p) p##1
#define OCTAVO_NAMES_2(p) OCTAVO_NAMES_1(p), p##2
#define OCTAVO_NAMES_3(p) OCTAVO_NAMES_2(p), p##3
#define OCTAVO_NAMES_4(p) OCTAVO_NAMES_3(p), p##4
#define OCTAVO_NAMES_5(p) OCTAVO_NAMES_4(p), p##5
#define OCTAVO_NAMES_6(p) OCTAVO_NAMES_5(p), p##6
#define OCTAVO_NAMES_7(p) OCTAVO_NAMES_6(p), p##7
#define OCTAVO_NAMES_8(p) OCTAVO_NAMES_7(p), p##8
#define OCTAVO_FIELDS(number, ...)           \
  if constexpr (fields::count == (number)) { \
    auto& [__VA_ARGS__] = value;             \
    return visit(__VA_ARGS__);               \
  } else
#define OCTAVO_EIGHT_FIELDS(before, p, ...)                               \
  OCTAVO_FIELDS(before + 1, __VA_ARGS__ __VA_OPT__(, ) OCTAVO_NAMES_1(p)) \
  OCTAVO_FIELDS(before + 2, __VA_ARGS__ __VA_OPT__(, ) OCTAVO_NAMES_2(p)) \
  OCTAVO_FIELDS(before + 3, __VA_ARGS__ __VA_OPT__(, ) OCTAVO_NAMES_3(p)) \
  OCTAVO_FIELDS(before + 4, __VA_ARGS__ __VA_OPT__(, ) OCTAVO_NAMES_4(p)) \
  OCTAVO_FIELDS(before + 5, __VA_ARGS__ __VA_OPT__(, ) OCTAVO_NAMES_5(p)) \
  OCTAVO_FIELDS(before + 6, __VA_ARGS__ __VA_OPT__(, ) OCTAVO_NAMES_6(p)) \
  OCTAVO_FIELDS(before + 7, __VA_ARGS__ __VA_OPT__(, ) OCTAVO_NAMES_7(p)) \
  OCTAVO_FIELDS(before + 8, __VA_ARGS__ __VA_OPT__(, ) OCTAVO_NAMES_8(p))

template <class T, class Visit>
decltype(auto) for_each_field(T& value, Visit&& visit) {
  using fields = detail::Aggregate<std::remove_const_t<T>>;
  if constexpr (!fields::good) {  // it has been said why
    return visit();
  } else OCTAVO_EIGHT_FIELDS(0, a)
  OCTAVO_EIGHT_FIELDS(8, b, OCTAVO_NAMES_8(a))
  OCTAVO_EIGHT_FIELDS(16, c, OCTAVO_NAMES_8(a), OCTAVO_NAMES_8(b))
  OCTAVO_EIGHT_FIELDS(24, d, OCTAVO_NAMES_8(a), OCTAVO_NAMES_8(b), OCTAVO_NAMES_8(c))
  OCTAVO_EIGHT_FIELDS(32, e, OCTAVO_NAMES_8(a), OCTAVO_NAMES_8(b), OCTAVO_NAMES_8(c), OCTAVO_NAMES_8(d))
  OCTAVO_EIGHT_FIELDS(40, f, OCTAVO_NAMES_8(a), OCTAVO_NAMES_8(b), OCTAVO_NAMES_8(c), OCTAVO_NAMES_8(d), OCTAVO_NAMES_8(e))
  OCTAVO_EIGHT_FIELDS(48, g, OCTAVO_NAMES_8(a), OCTAVO_NAMES_8(b), OCTAVO_NAMES_8(c), OCTAVO_NAMES_8(d), OCTAVO_NAMES_8(e), OCTAVO_NAMES_8(f))
  OCTAVO_EIGHT_FIELDS(56, h, OCTAVO_NAMES_8(a), OCTAVO_NAMES_8(b), OCTAVO_NAMES_8(c), OCTAVO_NAMES_8(d), OCTAVO_NAMES_8(e), OCTAVO_NAMES_8(f),
                      OCTAVO_NAMES_8(g))
  return visit();
}
#undef OCTAVO_EIGHT_FIELDS
#undef OCTAVO_FIELDS
#undef OCTAVO_NAMES_8
#undef OCTAVO_NAMES_7
#undef OCTAVO_NAMES_6
#undef OCTAVO_NAMES_5
#undef OCTAVO_NAMES_4
#undef OCTAVO_NAMES_3
#undef OCTAVO_NAMES_2
#undef OCTAVO_NAMES_1

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
