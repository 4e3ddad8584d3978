// SPDX-License-Identifier: Apache-2.0
// What a call knows of the method (or extension function) from its address: the object's class, parameters, result, and its text in the key.
//
//   using S = signature<&PageDevice::read>;      // S::object, S::value, S::text() == "(unsigned long)"
//   callable_on<&PageDevice::read, ArrayPageDevice>
#pragma once

#include <tuple>

#include "octavo/process/detail/can_travel.hpp"
#include "octavo/process/detail/method.hpp"

namespace octavo::detail {

// How a parameter stands in the key: what overloads can differ in, and a caller can see.
template <class P>
std::string parameter_text() {
  std::string text(type_name<std::decay_t<P>>());
  if constexpr (comes_back<P>) text += "&";
  if constexpr (std::is_rvalue_reference_v<P>) text += "&&";
  return text;
}

template <class C, class R, class... P>
struct Signature {
  using object = C;
  using result = R;
  // What the caller gets; of a view, a copy of what it shows.
  using value = held_t<typename is_future<std::remove_cvref_t<R>>::content>;
  using arguments = std::tuple<held_t<P>...>;
  template <template <class...> class To>
  using parameters = To<P...>;
  static constexpr std::size_t count = sizeof...(P);
  static constexpr bool copies_back = (comes_back<P> || ...);
  static constexpr bool is_extension = false;
  static std::string text() {
    std::string list;
    ((list += (list.empty() ? "" : ", ") + parameter_text<P>()), ...);
    return "(" + list + ")";
  }
  static constexpr bool travels() { return check_method<value, P...>(); }
};
template <class F>
struct signature_of;
// (Methods for && objects are none: an object in a process of its own is not about to go.)
#define OCTAVO_SIGNATURE(qualifiers, more)                                                                              \
  template <class C, class R, class... P>                                                                               \
  struct signature_of<R (C::*)(P...) qualifiers more> : Signature<C, R, P...> {                                         \
    static std::string text() { return Signature<C, R, P...>::text() + (*#qualifiers == '\0' ? "" : " " #qualifiers); } \
  };
#define OCTAVO_SIGNATURES(qualifiers) OCTAVO_SIGNATURE(qualifiers, ) OCTAVO_SIGNATURE(qualifiers, noexcept)
OCTAVO_SIGNATURES()
OCTAVO_SIGNATURES(const)
OCTAVO_SIGNATURES(&)
OCTAVO_SIGNATURES(const&)
#undef OCTAVO_SIGNATURES
#undef OCTAVO_SIGNATURE
// An extension function: `R f(C& object, P...)`, run on the object in its process as if it were a method.
template <class C, class R, class... P>
struct ExtensionSignature : Signature<C, R, P...> {
  static constexpr bool is_extension = true;
};
template <class C, class R, class... P>
struct signature_of<R (*)(C&, P...)> : ExtensionSignature<std::remove_const_t<C>, R, P...> {};
template <class C, class R, class... P>
struct signature_of<R (*)(C&, P...) noexcept> : ExtensionSignature<std::remove_const_t<C>, R, P...> {};
template <auto F>
using signature = signature_of<std::remove_cv_t<decltype(F)>>;
template <class F>
concept callable_remotely = requires {
  typename signature_of<F>::object;
};

// Whether F can be called on an object of T: a method of T or a base, or an extension function of one of them.
template <auto F, class T>
inline constexpr bool callable_on = false;
template <auto F, class T>
  requires requires { typename signature<F>::object; }
inline constexpr bool callable_on<F, T> = std::is_same_v<typename signature<F>::object, T> || std::is_base_of_v<typename signature<F>::object, T>;

}  // namespace octavo::detail
