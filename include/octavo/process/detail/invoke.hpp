// SPDX-License-Identifier: Apache-2.0
// The two ends of a call, made from a method's type: arguments to bytes here, bytes to arguments there.
#pragma once

#include <span>
#include <tuple>

#include "octavo/process/detail/method.hpp"

namespace octavo::detail {

template <class T>
struct is_future : std::false_type {
  using content = T;
};
template <class T>
struct is_future<future<T>> : std::true_type {
  using content = T;
};

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
using held_t = typename held<P>::type;

// Parameters that are copied back: T&.
template <class P>
inline constexpr bool comes_back = std::is_lvalue_reference_v<P> && !std::is_const_v<std::remove_reference_t<P>>;

template <class P>
constexpr void check_parameter() {
  using D = std::remove_cvref_t<P>;
  static_assert(!std::is_pointer_v<D>,
                "a raw pointer cannot travel to another process: pass a std::span, a std::string, an octavo::Page or a remote_ptr instead");
  if constexpr (!std::is_pointer_v<D>)
    static_assert(wire::travels<held_t<P>>, "this parameter type cannot travel: give it a serialize(Archive&), or make it an aggregate of types that travel");
}

template <class C, class R, class... P>
struct Signature {
  using object = C;
  using result = R;
  using value = held_t<typename is_future<std::remove_cvref_t<R>>::content>;  // what the caller gets: of a span, the vector of its elements
  using arguments = std::tuple<held_t<P>...>;
  template <template <class...> class To>
  using parameters = To<P...>;
  static constexpr bool copies_back = (comes_back<P> || ...);
  static constexpr bool is_extension = false;
  static std::string text() {
    std::string list;
    ((list += (list.empty() ? "" : ", ") + std::string(type_name<std::decay_t<P>>())), ...);
    return "(" + list + ")";
  }
};
template <class F>
struct signature_of;
template <class C, class R, class... P>
struct signature_of<R (C::*)(P...)> : Signature<C, R, P...> {};
template <class C, class R, class... P>
struct signature_of<R (C::*)(P...) const> : Signature<C, R, P...> {};
template <class C, class R, class... P>
struct signature_of<R (C::*)(P...) noexcept> : Signature<C, R, P...> {};
template <class C, class R, class... P>
struct signature_of<R (C::*)(P...) const noexcept> : Signature<C, R, P...> {};
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
using signature = signature_of<decltype(F)>;

// Whether F can be called on an object of T: a method of T or a base, or an extension function of one of them.
template <auto F, class T>
inline constexpr bool callable_on = false;
template <auto F, class T>
  requires requires { typename signature<F>::object; }
inline constexpr bool callable_on<F, T> = std::is_same_v<typename signature<F>::object, T> || std::is_base_of_v<typename signature<F>::object, T>;

// --- the server's end ---

template <class P, class H>
decltype(auto) as_parameter(H& holder) {
  if constexpr (is_span<std::remove_cvref_t<P>>::value) return std::remove_cvref_t<P>(holder);
  else if constexpr (std::is_lvalue_reference_v<P>) return static_cast<H&>(holder);
  else return std::move(holder);
}

template <auto F, class C, class Arguments, class... P>
decltype(auto) apply_method(C& object, Arguments& arguments) {
  return [&]<std::size_t... I>(std::index_sequence<I...>)->decltype(auto) {
    if constexpr (signature<F>::is_extension) return F(object, as_parameter<P>(std::get<I>(arguments))...);
    else return (object.*F)(as_parameter<P>(std::get<I>(arguments))...);
  }
  (std::index_sequence_for<P...>());
}

template <auto F>
struct Server {
  using S = signature<F>;
  template <class... P>
  struct With {
    using Arguments = typename S::arguments;

    static void run(Hosted& hosted, wire::Message& message, const Reply& reply) {
      auto& object = *static_cast<typename S::object*>(view_as(hosted, typeid(typename S::object), type_name<typename S::object>()));
      if constexpr (is_future<typename S::result>::value) {
        auto arguments = std::make_shared<Arguments>();  // a coroutine may still refer to them
        decode(message, *arguments);
        auto result = std::make_shared<typename S::result>(apply_method<F, typename S::object, Arguments, P...>(object, *arguments));
        result->on_ready([result, arguments, reply] { answer(*result, reply); });
      } else {
        Arguments arguments;
        decode(message, arguments);
        if constexpr (std::is_void_v<typename S::result>) {
          apply_method<F, typename S::object, Arguments, P...>(object, arguments);
          reply.value([&](wire::Encoder& out) { encode_back(out, arguments); });
        } else {
          decltype(auto) result = apply_method<F, typename S::object, Arguments, P...>(object, arguments);
          reply.value([&](wire::Encoder& out) {
            out.giving = !std::is_reference_v<decltype(result)>;
            out(result);
            encode_back(out, arguments);
          });
        }
      }
    }

    static void decode(wire::Message& message, Arguments& arguments) {
      wire::Decoder in(message);
      std::apply([&](auto&... each) { (in(each), ...); }, arguments);
    }
    static void encode_back(wire::Encoder& out, Arguments& arguments) {
      out.giving = true;
      [&]<std::size_t... I>(std::index_sequence<I...>) {
        (
            [&] {
              if constexpr (comes_back<P>) out(std::get<I>(arguments));
            }(),
            ...);
      }
      (std::index_sequence_for<P...>());
    }
    template <class Result>
    static void answer(Result& result, const Reply& reply) noexcept {
      try {
        if constexpr (std::is_void_v<typename S::value>) {
          result.get();
          reply.value([](wire::Encoder&) {});
        } else {
          auto value = result.get();
          reply.value([&](wire::Encoder& out) {
            out.giving = true;
            out(value);
          });
        }
      } catch (...) {
        reply.fail(std::current_exception());
      }
    }
  };
};

// The table's entry of a method; registered before main wherever it is instantiated.
template <auto F>
struct MethodOf {
  using S = signature<F>;
  template <class... P>
  using server = typename Server<F>::template With<P...>;
  static const Method* make() {
    Method method;
    method.key = std::string(type_name<typename S::object>()) + "::" + std::string(method_name<F>()) + S::text();
    method.type = &typeid(typename S::object);
    if constexpr (S::is_extension) {
      method.key = std::string(function_name<F>()) + S::text() + " on " + std::string(type_name<typename S::object>());
      method.type = &typeid(MethodOf);  // two files may each have a function of that name
    }
    method.class_name = type_name<typename S::object>();
    method.run = &S::template parameters<server>::run;
    return register_method(std::move(method));
  }
  static inline const Method* const entry = make();
};

// The class that is really constructed in the process for make<T>. remote_array.hpp has another for E[].
template <class T>
struct Hosts {
  using type = T;
};
template <class T>
using hosted_type = typename Hosts<T>::type;
// What listings and errors call an object of the hosted class T.
template <class T>
inline constexpr std::string_view class_title = type_name<T>();

template <class T, class... D>
struct ConstructorOf {
  static std::unique_ptr<Hosted> construct(wire::Message& message) {
    std::tuple<held_t<D>...> arguments;
    wire::Decoder in(message);
    return std::apply(
        [&](auto&... each) -> std::unique_ptr<Hosted> {
          (in(each), ...);
          return std::make_unique<HostedAs<T>>(std::move(each)...);
        },
        arguments);
  }
  static const Method* make() {
    std::string list;
    ((list += (list.empty() ? "" : ", ") + std::string(type_name<D>())), ...);
    Method method;
    method.key = "new " + std::string(type_name<T>()) + "(" + list + ")";
    method.type = &typeid(T);
    method.class_name = class_title<T>;
    method.construct = &construct;
    return register_method(std::move(method));
  }
  static inline const Method* const entry = make();
};

// --- the caller's end ---

// An argument on its way: a reference where nothing is converted, else the converted value. It lives until the frame is sent.
template <class P, class A>
using sent_t = std::conditional_t<std::is_same_v<std::remove_cvref_t<A>, std::remove_cvref_t<P>>, A&&, std::remove_cvref_t<P>>;

template <class Sent, class Value>
void encode_argument(wire::Encoder& out, Value& value) {
  out.giving = !std::is_lvalue_reference_v<Sent>;
  out(value);
}

}  // namespace octavo::detail
