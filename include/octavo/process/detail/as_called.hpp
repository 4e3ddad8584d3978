// SPDX-License-Identifier: Apache-2.0
// Calls by name, as they are written: p->m(a, b) where `&T::m` says no single method, because m is overloaded or a template, or where
// default arguments are left out. The method is chosen twice by the same rules, here and on the server's object: by the object's class
// and the arguments as they were passed.
//
//   an argument that is               reaches the method as
//   a temporary, or std::move(x)      T&&
//   a const variable                  const T&
//   a variable                        const T& if the method takes that; else T&, and what it did to it is copied back
//   a string literal, const char*     std::string&&
//
// The key is "Class::m called with (int, const std::string&)"; it is registered where the call is compiled, so that programs of another
// build know it only if they make the same call.
#pragma once

#include "octavo/process/detail/invoke.hpp"

namespace octavo::detail {

template <class... E>
struct types {};

// Name is what OCTAVO_REMOTE makes of each method's name: on(object, arguments...) is object.m(arguments...), and with<E...> object.m<E...>.
template <class Name, class Explicit>
struct Calls;
template <class Name, class... E>
struct Calls<Name, types<E...>> {
  template <class O, class... A>
  static auto on(O& object, A&&... arguments) -> decltype(Name::template with<E...>(object, std::forward<A>(arguments)...)) {
    return Name::template with<E...>(object, std::forward<A>(arguments)...);
  }
  static std::string name() {
    std::string list;
    ((list += (list.empty() ? "" : ", ") + std::string(type_name<E>())), ...);
    return std::string(Name::text) + "<" + list + ">";
  }
};
template <class Name>
struct Calls<Name, types<>> {
  template <class O, class... A>
  static auto on(O& object, A&&... arguments) -> decltype(Name::on(object, std::forward<A>(arguments)...)) {
    return Name::on(object, std::forward<A>(arguments)...);
  }
  static std::string name() { return Name::text; }
};
template <class T, class How, class... P>
concept takes = requires(T& object) {
  How::on(object, std::declval<P>()...);
};

// One way to call a method: the object's class, the name, and how each argument is passed.
template <class T, class How, class... P>
struct AsCalled {
  decltype(auto) operator()(T& object, P... arguments) const { return How::on(object, static_cast<P>(arguments)...); }
  static std::string key() {
    std::string list;
    ((list += (list.empty() ? "" : ", ") + passed_text<P>()), ...);
    return How::name() + " called with (" + list + ")";
  }

 private:
  template <class Q>
  static std::string passed_text() {
    std::string text = std::string(type_name<std::remove_cvref_t<Q>>());
    if constexpr (std::is_lvalue_reference_v<Q>) text = (comes_back<Q> ? "" : "const ") + text + "&";
    return text;
  }
};
template <class T, class How, class... P>
struct signature_of<AsCalled<T, How, P...>> : Signature<T, decltype(How::on(std::declval<T&>(), std::declval<P>()...)), P...> {};

// How an argument is passed on; `Back`: as one that may be changed.
template <class A, bool Back>
struct passed {
  using D = std::decay_t<A>;
  static constexpr bool text = std::is_same_v<D, const char*> || std::is_same_v<D, char*>;
  static constexpr bool view = is_span<D>::value || std::is_same_v<D, std::string_view>;
  static constexpr bool may_come_back = std::is_lvalue_reference_v<A> && !std::is_const_v<std::remove_reference_t<A>> && !text && !view;
  using in = std::conditional_t<std::is_lvalue_reference_v<A> || std::is_const_v<std::remove_reference_t<A>>, const D&, D&&>;
  using type = std::conditional_t<text, std::string&&, std::conditional_t<view, D, std::conditional_t<Back && may_come_back, D&, in>>>;
};

// Which arguments must be able to come back, found in steps: none; those that the method does not take as const; all.
template <class T, class How, class... A>
struct Chosen {
  template <bool... Back>
  using method = AsCalled<T, How, typename passed<A, Back>::type...>;
  template <bool... Back>
  static constexpr bool taken = takes<T, How, typename passed<A, Back>::type...>;

  template <std::size_t>
  static constexpr bool none = false;
  template <std::size_t>
  static constexpr bool all = true;
  template <std::size_t... I>
  static constexpr auto choose(std::index_sequence<I...> indices) {
    if constexpr (taken<none<I>...>) {
      return method<none<I>...>{};
    } else if constexpr (taken<all<I>...>) {
      if constexpr (taken<needed<I>(indices)...>) return method<needed<I>(indices)...>{};
      else return method<all<I>...>{};
    }
  }
  // Whether the method refuses argument N as const, all others being as they are.
  template <std::size_t N, std::size_t... I>
  static constexpr bool needed(std::index_sequence<I...>) {
    return !taken<(I != N)...>;
  }
  static constexpr auto best() { return choose(std::index_sequence_for<A...>()); }
  static constexpr bool any = !std::is_void_v<decltype(best())>;
};

// Whether T::m is one method, known by its address.
template <class T, class Name>
constexpr bool one_method() {
  if constexpr (requires { Name::template pointer<T>(); })
    return std::is_member_function_pointer_v<decltype(Name::template pointer<T>())> && callable_remotely<decltype(Name::template pointer<T>())>;
  else return false;
}

// What a bad call gives in place of a result, so that the error stays the only one.
struct anything {
  template <class T>
  operator T() const;  // NOLINT: it becomes what is wanted
};

// The method that p->m(...) with so many arguments stands for, where it takes more: for classes that octavo-server serves, whose methods must all be in its
// table. A class says it after its OCTAVO_REMOTE.
template <class T, class Name, std::size_t arguments>
inline constexpr auto short_form = nullptr;

// p->m<E...>(arguments...) in the way that Mode calls (Waiting, Starting).
template <class Mode, class T, class Name, class... E, class... A>
auto call_named(const Address& to, A&&... arguments) {
  using How = Calls<Name, types<E...>>;
  constexpr bool one = sizeof...(E) == 0 && one_method<T, Name>();
  if constexpr (one) {
    constexpr auto method = Name::template pointer<T>();
    constexpr bool all = signature<method>::count == sizeof...(A);
    if constexpr (all) return Mode::template invoke<method>(to, std::forward<A>(arguments)...);
    else if constexpr (!std::is_null_pointer_v<decltype(short_form<T, Name, sizeof...(A)>)>)
      return Mode::template invoke<short_form<T, Name, sizeof...(A)>>(to, std::forward<A>(arguments)...);
    else if constexpr (Chosen<T, How, A...>::any) return Mode::template invoke<Chosen<T, How, A...>::best()>(to, std::forward<A>(arguments)...);
    else {
      static_assert(all, "this method takes another number of arguments");
      return Mode::template nothing<typename signature<method>::value>();
    }
  } else if constexpr (Chosen<T, How, A...>::any) {
    return Mode::template invoke<Chosen<T, How, A...>::best()>(to, std::forward<A>(arguments)...);
  } else {
    static_assert(one, "the method cannot be called with these arguments: no overload of it takes them, or the one that does is not public");
    return Mode::template nothing<anything>();
  }
}

// The entry of a name in OCTAVO_REMOTE: one method is in the table from then on; the others as they are called.
template <class T, class Name>
bool register_named() {
  if constexpr (one_method<T, Name>()) {
    constexpr auto method = Name::template pointer<T>();
    return register_object_of<T, method>() && MethodOf<method>::entry != nullptr;
  } else if constexpr (!std::is_final_v<T> && !requires { Name::template pointer<T>(); }) {
    return sizeof(typename Name::template exists<T>) != 0;  // a name that the class does not have is an error here
  }
  return true;
}

}  // namespace octavo::detail
