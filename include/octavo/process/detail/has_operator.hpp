// SPDX-License-Identifier: Apache-2.0
// Whether values of E can really be compared or added. A template such as std::vector declares == for all elements, and fails where it is compiled: so
// what E is made of must have the operator, too.
//
//   has_operator<double, std::plus<>>
//   has_operator<std::vector<Point>, std::equal_to<>, bool>    // false where Point has no ==
#pragma once

#include <functional>
#include <type_traits>

namespace octavo {

template <class T>
class remote_ptr;

namespace detail {

template <class E, class Operation, class Result>
constexpr bool declares_operator = requires(const E& a, const E& b) {
  static_cast<Result>(Operation{}(a, b));
};

template <class E, class Operation, class Result = E>
struct HasOperator;

// Of a template's arguments. What a remote_ptr points to does not matter.
template <class E, class Operation, class Result>
struct PartsHaveOperator : std::true_type {};
template <template <class...> class C, class... A, class Operation, class Result>
struct PartsHaveOperator<C<A...>, Operation, Result>
    : std::conjunction<HasOperator<A, Operation, std::conditional_t<std::is_same_v<Result, bool>, bool, A>>...> {};
template <class T, class Operation, class Result>
struct PartsHaveOperator<remote_ptr<T>, Operation, Result> : std::true_type {};

// Of a container's elements: its other arguments (an allocator) are not compared.
template <class E, class Operation, class Result>
constexpr bool parts_have_operator() {
  if constexpr (requires { typename E::value_type; }) {
    using V = typename E::value_type;
    if constexpr (!std::is_same_v<V, E>) return HasOperator<V, Operation, std::conditional_t<std::is_same_v<Result, bool>, bool, V>>::value;
    else return true;
  } else {
    return PartsHaveOperator<E, Operation, Result>::value;
  }
}

template <class E, class Operation, class Result>
struct HasOperator {
  static constexpr bool known() {
    if constexpr (declares_operator<E, Operation, Result>) return parts_have_operator<E, Operation, Result>();
    else return false;
  }
  static constexpr bool value = known();
};
template <class E, class Operation, class Result = E>
inline constexpr bool has_operator = HasOperator<std::remove_const_t<E>, Operation, Result>::value;

// Copying, as an operator.
struct Copying {
  template <class T>
    requires std::is_copy_constructible_v<T>
  bool operator()(const T&, const T&) const;
};
template <class T>
inline constexpr bool can_copy = has_operator<T, Copying, bool>;

}  // namespace detail
}  // namespace octavo
