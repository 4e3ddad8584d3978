// SPDX-License-Identifier: Apache-2.0
// What a stage takes and gives, from the signature of its function or of its class's svc; and one call of it.
//
//   using S = Svc<Blur, Image>;                        // of items that are Images: S::takes, S::gives
//   S::run(blur, std::move(image), [](Image&& out) {});  // calls it once for each result
#pragma once

#include <optional>
#include <tuple>
#include <type_traits>

#include "octavo/stream/again.hpp"
#include "octavo/stream/detail/joint/standing.hpp"
#include "octavo/stream/emit.hpp"

namespace octavo::stream {

template <class R, class... P>
struct CallOf {
  using parameters = std::tuple<P...>;
};
template <class R, class... P>
CallOf<R, P...> call_of(R (*)(P...));
template <class C, class R, class... P>
CallOf<R, P...> call_of(R (C::*)(P...));
template <class C, class R, class... P>
CallOf<R, P...> call_of(R (C::*)(P...) const);

template <class D>
concept has_one_svc = requires {
  call_of(&D::svc);
};
template <class D>
concept has_one_operator = requires {
  call_of(&D::operator());
};
template <class D>
concept is_plain_function = std::is_pointer_v<D> && std::is_function_v<std::remove_pointer_t<D>>;

// The parameters that a stage says; none where it is a template or overloaded.
template <class D>
auto said_by() {
  if constexpr (is_plain_function<D>) return decltype(call_of(std::declval<D>()))();
  else if constexpr (has_one_svc<D>) return decltype(call_of(&D::svc))();
  else if constexpr (has_one_operator<D>) return decltype(call_of(&D::operator()))();
}
template <class D>
using said_t = decltype(said_by<D>());
template <class D>
inline constexpr bool says_what_it_takes = !std::is_void_v<said_t<D>>;

template <class P>
struct emitted;
template <class T>
struct emitted<emit<T>&> {
  using type = T;
};
template <class T>
struct emitted<again<T>&> {
  using type = T;
};

template <class Parameters>
struct taken_first {
  using type = void;
};
template <class First, class... P>
struct taken_first<std::tuple<First, P...>> {
  using type = First;
};

template <class R>
struct given {
  using type = R;
  static constexpr bool may_be_nothing = false;
};
template <class T>
struct given<std::optional<T>> {
  using type = T;
  static constexpr bool may_be_nothing = true;
};

// One call, by svc where there is one.
template <class D, class... A>
decltype(auto) call_doer(D& doer, A&&... arguments) {
  if constexpr (requires { doer.svc(std::forward<A>(arguments)...); }) return doer.svc(std::forward<A>(arguments)...);
  else return doer(std::forward<A>(arguments)...);
}
template <class D, class... A>
concept callable_with = requires(D& doer, A&&... arguments) {
  doer.svc(std::forward<A>(arguments)...);
}
|| std::is_invocable_v<D&, A...>;

// By its signature: takes First, and may have an emit, and an again behind that.
template <class D>
struct BySignature {
  using parameters = typename said_t<D>::parameters;
  using first = typename taken_first<parameters>::type;
  using takes = std::remove_cvref_t<first>;
  static constexpr bool emits = std::tuple_size_v<parameters> >= 2;
  static constexpr bool loops = std::tuple_size_v<parameters> == 3;
};

// `In`: what comes.
template <class D, class In>
struct Svc {
  template <class X>
  static decltype(auto) pass(X& item) {
    if constexpr (callable_with<D, X&&>) return std::move(item);
    else return (item);  // svc(Image& in)
  }
  static constexpr bool emits = [] {
    if constexpr (says_what_it_takes<D>) return BySignature<D>::emits;
    else return false;
  }();
  // It feeds back.
  static constexpr bool loops = [] {
    if constexpr (says_what_it_takes<D>) return BySignature<D>::loops;
    else return false;
  }();
  static constexpr bool fits() {
    if constexpr (emits) return std::is_convertible_v<In&&, typename BySignature<D>::takes>;
    else return callable_with<D, In&&> || callable_with<D, In&>;
  }
  static_assert(fits(), "octavo::pipeline: this stage does not take what the one before it gives (In is what comes, D the stage)");

  static auto result() {
    if constexpr (!fits()) return std::type_identity<void>();
    else if constexpr (emits) return std::type_identity<typename emitted<std::tuple_element_t<1, typename BySignature<D>::parameters>>::type>();
    else return std::type_identity<std::remove_cvref_t<decltype(call_doer(std::declval<D&>(), pass(std::declval<In&>())))>>();
  }
  using returned = typename decltype(result())::type;
  using gives = typename given<returned>::type;
  // Always exactly one result to an item.
  static constexpr bool one_to_one = !emits && !std::is_void_v<gives> && !given<returned>::may_be_nothing;

  // `more` is called with what is fed back.
  template <class Out, class More>
  static void run_round(D& doer, In&& item, Out&& out, More&& more) {
    if constexpr (fits()) {
      using Again = typename emitted<std::tuple_element_t<2, typename BySignature<D>::parameters>>::type;
      static_assert(std::is_same_v<Again, In>, "octavo::again: what a stage feeds back is of the type of its items");
      Giving<emit, gives, std::remove_reference_t<Out>> to(out);
      Giving<again, In, std::remove_reference_t<More>> round(more);
      call_doer(doer, std::move(item), static_cast<emit<gives>&>(to), static_cast<again<In>&>(round));
    }
  }
  template <class Out>
  static void run(D& doer, In&& item, Out&& out) {
    if constexpr (!fits() || loops) return;
    else if constexpr (emits) {
      Giving<emit, gives, std::remove_reference_t<Out>> to(out);
      call_doer(doer, std::move(item), static_cast<emit<gives>&>(to));
    } else if constexpr (std::is_void_v<gives>) call_doer(doer, pass(item));
    else if constexpr (given<returned>::may_be_nothing) {
      if (auto result = call_doer(doer, pass(item))) out(std::move(*result));
    } else out(gives(call_doer(doer, pass(item))));
  }
};

template <class D>
void begin_doer(D& doer) {
  if constexpr (requires { doer.svc_init(); }) doer.svc_init();
}
template <class D>
void end_doer(D& doer) {
  if constexpr (requires { doer.svc_end(); }) doer.svc_end();
}

// What waits for something elsewhere, or tells others of the end, looks how the run stands: from before anything of it has begun.
template <class D>
concept opens = requires(D& doer, const Standing& run) {
  doer.open_in(run);
};
template <class D>
void end_doer(D& doer, const Standing& run) {
  if constexpr (requires { doer.end_in(run); }) doer.end_in(run);
  else end_doer(doer);
}

}  // namespace octavo::stream
