// SPDX-License-Identifier: Apache-2.0
// What the workers of a stage are made of: a function that is there, a class with its constructor's arguments, or several stages as one.
#pragma once

#include <memory>
#include <string_view>
#include <tuple>
#include <utility>

#include "octavo/process/detail/method.hpp"
#include "octavo/process/place.hpp"
#include "octavo/stream/detail/svc.hpp"

namespace octavo::stream {

// A stage has the function itself, so that its state is there afterwards; each worker of a farm has a copy.
template <class F>
struct FunctionBody {
  using doer = F;
  F function;
  static std::string_view name() { return {}; }
  F& one() { return function; }
  F each() {
    static_assert(std::is_copy_constructible_v<F>, "octavo::farm: each worker has a copy of the function, and this one cannot be copied");
    return function;
  }
};

template <class T, class... A>
struct ClassBody {
  using doer = T;
  std::tuple<A...> arguments;
  static std::string_view name() { return detail::type_name<T>(); }
  T one() { return each(); }
  T each() {
    return std::apply([](const A&... each) { return T(each...); }, arguments);
  }
};

// What a body is made of where it is not: a class's arguments, or nothing of a function that has no state.
template <class Body>
struct MadeOf {
  using type = std::tuple<>;
  static constexpr bool is_known = std::is_empty_v<typename Body::doer> && std::is_default_constructible_v<typename Body::doer>;
  static auto of(const Body& /*body*/) { return type(); }
  static auto make(const type& /*arguments*/) { return typename Body::doer(); }
};
template <class T, class... A>
struct MadeOf<ClassBody<T, A...>> {
  using type = std::tuple<A...>;
  static constexpr bool is_known = true;
  static const type& of(const ClassBody<T, A...>& body) { return body.arguments; }
  static T make(const type& arguments) { return std::make_from_tuple<T>(arguments); }
};

// Stages that a farm's worker runs one in the other.
template <class... Body>
struct Doers {
  std::tuple<decltype(std::declval<Body&>().each())...> all;
  explicit Doers(Body&... bodies) : all{bodies.each()...} {}
  // At a place.
  explicit Doers(const std::tuple<typename MadeOf<Body>::type...>& arguments) : Doers(arguments, std::index_sequence_for<Body...>()) {}
  void svc_init() {
    std::apply([](auto&... each) { (begin_doer(each), ...); }, all);
  }
  void svc_end() {
    std::apply([](auto&... each) { (end_doer(each), ...); }, all);
  }

 private:
  template <class Arguments, std::size_t... I>
  Doers(const Arguments& arguments, std::index_sequence<I...> /*numbers*/) : all{MadeOf<Body>::make(std::get<I>(arguments))...} {}
};
template <class... Body>
struct TogetherBody {
  using doer = Doers<Body...>;
  std::tuple<Body...> bodies;
  static std::string_view name() { return {}; }
  doer one() { return each(); }
  doer each() {
    return std::apply([](Body&... each) { return doer(each...); }, bodies);
  }
};

// The same as of one stage, of several from number I on.
template <std::size_t I, class In, class... Body>
struct SvcFrom {
  using D = typename std::tuple_element_t<I, std::tuple<Body...>>::doer;
  using here = Svc<D, In>;
  static_assert(!here::loops, "octavo: a stage that feeds back is a farm or stage of its own, and not one within a farm of a pipeline");
  static constexpr bool is_last = I + 1 == sizeof...(Body);
  static auto rest() {
    if constexpr (is_last) return std::type_identity<here>();
    else return std::type_identity<SvcFrom<I + 1, typename here::gives, Body...>>();
  }
  using then = typename decltype(rest())::type;
  using gives = typename then::gives;
  static constexpr bool one_to_one = here::one_to_one && then::one_to_one;
  template <class All, class Out>
  static void run(All& all, In&& item, Out&& out) {
    if constexpr (is_last) here::run(std::get<I>(all), std::move(item), out);
    else here::run(std::get<I>(all), std::move(item), [&](typename here::gives&& value) { then::run(all, std::move(value), out); });
  }
};
template <class... Body, class In>
struct Svc<Doers<Body...>, In> {
  using chain = SvcFrom<0, In, Body...>;
  using gives = typename chain::gives;
  static constexpr bool loops = false;
  static constexpr bool one_to_one = chain::one_to_one;
  template <class Out>
  static void run(Doers<Body...>& doers, In&& item, Out&& out) {
    chain::run(doers.all, std::move(item), out);
  }
};

}  // namespace octavo::stream
