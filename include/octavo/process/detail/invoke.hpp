// SPDX-License-Identifier: Apache-2.0
// The two ends of a call, made from a method's type: arguments to bytes here, bytes to arguments there.
#pragma once

#include "octavo/process/detail/signature.hpp"

namespace octavo::detail {

// --- the server's end ---

template <class P, class H>
decltype(auto) as_parameter(H& holder) {
  if constexpr (!std::is_same_v<H, std::remove_cvref_t<P>>) return std::remove_cvref_t<P>(holder);  // a view of what arrived
  else if constexpr (std::is_lvalue_reference_v<P>) return static_cast<H&>(holder);
  else return std::move(holder);
}

template <auto F, class C, class Arguments, class... P>
decltype(auto) apply_method(C& object, Arguments& arguments) {
  return [&]<std::size_t... I>(std::index_sequence<I...>)->decltype(auto) { return std::invoke(F, object, as_parameter<P>(std::get<I>(arguments))...); }
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
        if (result->valid()) reply.later(Inside::shared(*result));
        result->on_ready([result, arguments, later = reply.kept()] { answer(*result, *arguments, later); });
      } else {
        Arguments arguments;
        decode(message, arguments);
        if constexpr (std::is_void_v<typename S::result>) {
          apply_method<F, typename S::object, Arguments, P...>(object, arguments);
          if constexpr (!S::copies_back) return reply.plain(nullptr, 0);
          else reply.value([&](wire::Encoder& out) { encode_back(out, arguments); });
        } else {
          decltype(auto) result = apply_method<F, typename S::object, Arguments, P...>(object, arguments);
          if constexpr (!S::copies_back && wire::plain<std::remove_cvref_t<decltype(result)>>) return reply.plain(&result, sizeof result);
          else
            reply.value([&](wire::Encoder& out) {
              out.giving = !std::is_reference_v<decltype(result)>;
              out(result);
              encode_back(out, arguments);
            });
        }
      }
    }

    static constexpr bool gives_plain() {
      using V = std::remove_cvref_t<typename S::result>;
      if constexpr (std::is_void_v<V>) return true;
      else return wire::plain<V> && sizeof(V) <= wire::SmallFrame::most;
    }
    static constexpr bool is_plain() {
      if constexpr (wire::plain<held_t<P>...>) return !S::copies_back && gives_plain() && wire::plain_bytes<held_t<P>...> <= wire::SmallFrame::most;
      else return false;
    }
    static std::size_t run_plain(void* at, const std::byte* from, [[maybe_unused]] std::byte* to) {
      auto& object = *static_cast<typename S::object*>(at);
      Arguments arguments;
      std::apply([&](auto&... each) { wire::take_plain_at(from, each...); }, arguments);
      if constexpr (std::is_void_v<typename S::result>) {
        apply_method<F, typename S::object, Arguments, P...>(object, arguments);
        return 0;
      } else {
        const std::remove_cvref_t<typename S::result> result = apply_method<F, typename S::object, Arguments, P...>(object, arguments);
        std::memcpy(to, &result, sizeof result);
        return sizeof result;
      }
    }
    static void offer_plain(Method& method) {
      if constexpr (is_plain()) {
        method.run_plain = &run_plain;
        method.plain_bytes = wire::plain_bytes<held_t<P>...>;
      }
    }

    static void decode(wire::Message& message, Arguments& arguments) {
      if constexpr (wire::plain<held_t<P>...>) {
        std::apply([&](auto&... each) { wire::take_plain(message, each...); }, arguments);
      } else {
        wire::Decoder in(message);
        std::apply([&](auto&... each) { (in(each), ...); }, arguments);
      }
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
    static void answer(Result& result, Arguments& arguments, const Reply& reply) noexcept {
      try {
        if constexpr (std::is_void_v<typename S::value>) {
          result.get();
          reply.value([&](wire::Encoder& out) { encode_back(out, arguments); });
        } else {
          auto value = result.get();
          reply.value([&](wire::Encoder& out) {
            out.giving = true;
            out(value);
            encode_back(out, arguments);
          });
        }
      } catch (...) {
        reply.fail(std::current_exception());
      }
    }
  };
};

template <auto F>
struct Identity {};

// The table's entry of a method; registered before main wherever it is instantiated.
template <auto F>
struct MethodOf {
  using S = signature<F>;
  template <class... P>
  using server = typename Server<F>::template With<P...>;
  static const Method* make() {
    Method method;
    method.identity = &typeid(Identity<F>);
    method.type = &typeid(typename S::object);
    method.class_name = type_name<typename S::object>();
    if constexpr (S::is_extension) {
      method.key = std::string(function_name<F>()) + S::text() + " on " + std::string(method.class_name);
    } else {
      method.key = std::string(method.class_name) + "::";
      if constexpr (requires { F.key(); }) method.key += F.key();
      else method.key += with_template_arguments(method_name<F>(), *method.identity) + S::text();
    }
    if constexpr (S::travels()) {
      method.run = &S::template parameters<server>::run;
      S::template parameters<server>::offer_plain(method);
    }
    return register_method(std::move(method));
  }
  static inline const Method* const entry = make();
};

// A method that T has from a base: its server sees the object as that base, registered before main too.
template <class T, auto F>
bool register_object_of() {
  using C = typename signature<F>::object;
  if constexpr (std::is_same_v<T, C> || !std::is_convertible_v<T*, C*>) return true;
  else return register_base_of<T, C>();
}
template <class T, auto F>
inline const bool object_entry = register_object_of<T, F>();

// The methods that a T has for other programs, whether this one calls them or not: of Octavo's own class templates, which stand in no OCTAVO_REMOTE.
template <class T>
struct MethodsOf {
  static void enter() {}
};
// Mentions their entries, which then are registered before main.
template <auto... F>
void enter_methods() {
  ((void)MethodOf<F>::entry, ...);
}

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
    return [&]<std::size_t... I>(std::index_sequence<I...>)->std::unique_ptr<Hosted> {
      (in(std::get<I>(arguments)), ...);
      return std::make_unique<HostedAs<T>>(as_parameter<D>(std::get<I>(arguments))...);
    }
    (std::index_sequence_for<D...>());
  }
  static const Method* make() {
    std::string list;
    ((list += (list.empty() ? "" : ", ") + std::string(type_name<D>())), ...);
    Method method;
    method.key = "new " + std::string(type_name<T>()) + "(" + list + ")";
    method.type = &typeid(T);
    method.class_name = class_title<T>;
    if constexpr ((check_parameter<D>() && ... && std::is_constructible_v<T, D...>)) method.construct = &construct;
    MethodsOf<T>::enter();
    return register_method(std::move(method));
  }
  static inline const Method* const entry = make();
};

// --- the caller's end ---

// An argument on its way: a reference where nothing is converted, else the converted value. It lives until the frame is sent. What can only
// be moved is moved, so that the caller's is left as it is by an ordinary call.
template <class P, class A>
inline constexpr bool moves_away = !std::is_lvalue_reference_v<P> && !std::is_lvalue_reference_v<A> && !std::is_copy_constructible_v<std::remove_cvref_t<A>>;
template <class P, class A>
using sent_t = std::conditional_t<std::is_same_v<std::remove_cvref_t<A>, encoded_t<P>> && !moves_away<P, A>, A&&, encoded_t<P>>;

template <class Sent, class Value>
void encode_argument(wire::Encoder& out, Value& value) {
  out.giving = !std::is_lvalue_reference_v<Sent>;
  if constexpr (can_travel<held_t<Value>>()) out(value);  // else it was said (Parameter)
}

}  // namespace octavo::detail
