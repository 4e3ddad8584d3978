// SPDX-License-Identifier: Apache-2.0
// How many members an aggregate has, and whether they can be found without any declaration: where not, the compiler says why, and what to write instead.
//
//   struct Point { double x, y; };
//   static_assert(octavo::wire::detail::field_count<Point>() == 2);
//
// The members are counted by the braces that the aggregate takes. A C array takes its elements there, one by one: it is found by what lies behind it.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace octavo::wire::detail {

inline constexpr std::size_t most_fields = 64;

struct any_value {
  template <class T>
  operator T() const {  // implicit, found by overload resolution, never called
    __builtin_unreachable();
  }
};
template <class Derived>
struct any_base_of {
  template <class T>
    requires(std::is_base_of_v<T, Derived> && !std::is_same_v<T, Derived>)
  operator T() const { __builtin_unreachable(); }
};
struct no_value {};

template <class T, std::size_t... I>
constexpr bool braces_take(std::index_sequence<I...>) {
  return requires { T{(static_cast<void>(I), any_value{})...}; };
}
template <class T, std::size_t N>
constexpr bool takes = braces_take<T>(std::make_index_sequence<N>());

// The first number that it takes, as a member may have no default; then the last of those in a row. Beyond `most_fields` it is one more than that.
template <class T, std::size_t N = 0, bool Begun = false>
constexpr std::size_t field_count() {
  constexpr bool fits = takes<T, N>;
  if constexpr (Begun && !fits) return N - 1;
  else if constexpr (N > most_fields) return Begun ? N : 0;
  else return field_count<T, N + 1, fits>();
}

// Whether the member behind `Before` others takes braces of its own, and `After` values find a place behind it.
template <class T, std::size_t... Before, std::size_t... After>
constexpr bool leaves_room(std::index_sequence<Before...>, std::index_sequence<After...>) {
  return requires { T{(static_cast<void>(Before), any_value{})..., {}, (static_cast<void>(After), any_value{})...}; };
}
// A C array stands for several of the N, so that fewer than those behind one find a place. (A member without a default takes no empty braces at all.)
template <class T, std::size_t N, std::size_t I, std::size_t Behind>
constexpr bool is_array() {
  if constexpr (leaves_room<T>(std::make_index_sequence<I>(), std::make_index_sequence<Behind>())) return I + Behind + 1 < N;
  else if constexpr (Behind == 0) return false;
  else return is_array<T, N, I, Behind - 1>();
}
// The number of the first C array, from 1; 0: there is none.
template <class T, std::size_t N, std::size_t I = 0>
constexpr std::size_t first_array() {
  if constexpr (I >= N) return 0;
  else if constexpr (is_array<T, N, I, N - I - 1>()) return I + 1;
  else return first_array<T, N, I + 1>();
}

template <class T>
constexpr bool has_base = requires {
  T{any_base_of<T>{}};
}
&&!requires { T{no_value{}}; };

// Instantiated for an aggregate and its first C array, so that the compiler names both.
template <class T, std::size_t Member>
struct MemberThatIsAnArray {
  static constexpr bool good = Member == 0;
  static_assert(good,
                "a member of this aggregate is a C array (which one, from 1, stands behind the type): make it a std::array, or write a serialize(Archive&)");
};
template <class T>
struct Aggregate {
  static constexpr bool bare = !has_base<T>;
  static_assert(bare, "an aggregate with a base class cannot be taken apart into its members: write a serialize(Archive&) for it");
  static constexpr std::size_t count = bare ? field_count<T>() : 0;
  static constexpr bool few = count <= most_fields;
  static_assert(few,
                "an aggregate of more than 64 members (each element of a C array counts) needs a serialize(Archive&), or a std::array in place of the array");
  static constexpr bool good = bare && few && MemberThatIsAnArray < T, few ? first_array<T, count>() : 0 > ::good;
};

}  // namespace octavo::wire::detail
