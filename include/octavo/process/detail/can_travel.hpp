// SPDX-License-Identifier: Apache-2.0
// What can go to another process and come back, and what a person is told at compile time where it cannot.
//
//   static_assert(can_travel<std::vector<Point>>());      // a Point has serialize(Archive&), or is an aggregate
//   Parameter<const Point&>::good                         // else the reason is a static_assert, said once
//
// A parameter of a method is kept by the server as held_t (a std::span as a std::vector, a std::string_view as a std::string).
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "octavo/wire/archive.hpp"

namespace octavo::detail {

template <class T>
struct is_span : std::false_type {};
template <class T>
struct is_span<std::span<T>> : std::true_type {};

// How the server keeps an argument of parameter type P, and what travels.
template <class P>
struct held {
  using type = std::remove_cvref_t<P>;
};
template <class P>
requires is_span<std::remove_cvref_t<P>>::value struct held<P> {
  using type = std::vector<typename std::remove_cvref_t<P>::value_type>;
};
template <class P>
  requires std::is_same_v<std::remove_cvref_t<P>, std::string_view>
struct held<P> {
  using type = std::string;
};
template <class P>
using held_t = typename held<P>::type;

// What is encoded: a span needs no vector to be made of it first.
template <class P>
using encoded_t = std::conditional_t<is_span<std::remove_cvref_t<P>>::value, std::remove_cvref_t<P>, held_t<P>>;

// Parameters that are copied back: T&.
template <class P>
inline constexpr bool comes_back = std::is_lvalue_reference_v<P> && !std::is_const_v<std::remove_reference_t<P>>;

// The serializer answers for a container or an aggregate without a look at what is in it. This looks two levels deep, which catches what
// people write; deeper, the serializer's own message comes.
template <class D>
struct element {
  using type = D;
};
template <class D>
  requires requires { typename D::value_type; }
struct element<D> : element<typename D::value_type> {};
template <class D>
constexpr bool known_to_travel() {
  using E = typename element<D>::type;
  if constexpr (std::is_pointer_v<E>) return false;
  else return wire::travels<D> && wire::travels<E>;
}
template <class D>
constexpr bool can_travel() {
  using E = typename element<D>::type;
  if constexpr (!known_to_travel<D>()) return false;
  else if constexpr (!wire::plain_aggregate<E, wire::Encoder>) return true;
  else
    return decltype(wire::for_each_field(
        std::declval<E&>(), [](auto&... fields) { return std::bool_constant<(known_to_travel<std::remove_cvref_t<decltype(fields)>>() && ...)>{}; }))::value;
}

// What makes a method (or a constructor's arguments) callable from another process. Each says so once, and what depends on it is then
// left out: the first error a person reads is the cause, and the only one.
template <class P>
struct Parameter {
  using D = std::remove_cvref_t<P>;
  static constexpr bool raw = std::is_pointer_v<D>;
  static constexpr bool travels = raw || can_travel<held_t<P>>();
  static constexpr bool made = std::is_default_constructible_v<held_t<P>>;
  static constexpr bool good = !raw && travels && made;
  static_assert(!raw, "a raw pointer cannot travel to another process: pass a std::span, a std::string, an octavo::Page or a remote_ptr instead");
  static_assert(travels, "this parameter type cannot travel: give it a serialize(Archive&), or make it an aggregate of types that travel");
  static_assert(made || !travels, "this parameter type cannot travel: it must be default-constructible, so that it can be made where it arrives");
};
template <class V>
struct ResultOf {
  static constexpr bool raw = std::is_pointer_v<V>;
  static constexpr bool travels = [] {
    if constexpr (raw || std::is_void_v<V>) return true;
    else return can_travel<V>();
  }();
  static constexpr bool made = std::is_void_v<V> || std::is_default_constructible_v<V>;
  static constexpr bool good = !raw && travels && made;
  static_assert(!raw, "a raw pointer cannot be the result of a remote method: return the value, a remote_ptr or an octavo::Page");
  static_assert(travels, "the result of this method cannot travel: give its type a serialize(Archive&), or make it an aggregate of types that travel");
  static_assert(made || !travels, "the result of a remote method must be default-constructible, so that it can be made where it arrives");
};
template <class P>
constexpr bool check_parameter() {
  return Parameter<P>::good;
}
template <class V, class... P>
constexpr bool check_method() {
  return (static_cast<int>(ResultOf<V>::good) & ... & static_cast<int>(Parameter<P>::good)) != 0;
}
}  // namespace octavo::detail
