// SPDX-License-Identifier: Apache-2.0
// What calls need of the running program; implemented by its endpoint (src/process).
#pragma once

#include <array>
#include <cstring>

#include "octavo/base/recycled.hpp"
#include "octavo/machine/placement.hpp"
#include "octavo/process/detail/as_called.hpp"
#include "octavo/process/detail/quick_call.hpp"
#include "octavo/wire/call_to_all.hpp"

namespace octavo::detail {

// Sends a call; `state` becomes ready with the reply. Throws process_died, gone_error, usage_error (no Runtime).
void begin_call(const std::shared_ptr<StateBase>& state, const Address& to, wire::frame_kind kind, const Method& method, wire::Outgoing& out);
// The same of a method that takes and gives a few numbers: they are given as wire::put_plain has them.
void begin_call(const std::shared_ptr<StateBase>& state, const Address& to, const Method& method, ByteView numbers);
// The same, and waits for what comes back, which fills `result`. Throws what the call threw.
void call(const Address& to, const Method& method, ByteView numbers, ByteSpan result);
// Makes the server of an object for `constructor` and sends it the arguments; gives its address at once.
Address begin_make(const std::shared_ptr<StateBase>& state, const Method& constructor, wire::Outgoing& out, const Placement& where);
void begin_destroy(const std::shared_ptr<StateBase>& state, const Address& to);
// Waits until that is done, or the process was ended because it took too long after the object was destroyed. A death that some call has told of is none.
void finish_destroy(StateBase& state);
// Both, and what dropped futures of it would have thrown. Throws timed_out: it goes on to its end.
void destroy(const Address& object, std::chrono::steady_clock::time_point deadline);
[[noreturn]] void raise_not_destroyed(const Address& object);
// Ends the process of an object by SIGKILL; returns when it is gone.
void kill(const Address& object);
// Raises what dropped futures of calls to this object would have thrown.
void raise_lost_errors(const Address& of);

// Waits until `done`, which is looked at whenever something arrives or becomes ready. False at the deadline.
bool wait_until(const std::function<bool()>& done, std::chrono::steady_clock::time_point deadline);

// Waits for the reply of a call and gives it. Throws what the call threw.
inline wire::Message finish_call(StateBase& state) {
  wait_for(state, forever());
  return state.take_reply();
}

// What a call must satisfy; the reason is said here, once.
template <class P, class A>
struct Argument {
  static constexpr bool back = !comes_back<P> || std::is_same_v<A, std::remove_cvref_t<P>&>;
  static constexpr bool good = back && std::is_convertible_v<A, P>;
  static_assert(back, "an argument for a T& parameter must be a T that can be written to");
  static_assert(good || !back, "an argument does not convert to the type of its parameter");
};

template <auto F>
struct Client {
  using S = signature<F>;
  template <class... P>
  struct With {
    // Whether the call can be compiled; if not, it has been said why.
    template <class... A>
    static constexpr bool good() {
      if constexpr (sizeof...(A) != sizeof...(P)) {
        static_assert(sizeof...(A) == sizeof...(P), "a call by the method's address takes all arguments: defaults are known to p->method(...) only");
        return false;
      } else {
        return S::travels() && (static_cast<int>(Argument<P, A>::good) & ... & 1) != 0;
      }
    }

    static constexpr bool plain_arguments = wire::plain<held_t<P>...> && !S::copies_back;
    static constexpr std::size_t result_bytes() {
      if constexpr (std::is_void_v<typename S::value>) return 0;
      else return sizeof(typename S::value);
    }
    static constexpr bool is_small() {
      if constexpr (!plain_arguments || !(std::is_void_v<typename S::value> || wire::plain<typename S::value>)) return false;
      else return wire::plain_bytes<held_t<P>...> <= wire::SmallFrame::most && result_bytes() <= wire::SmallFrame::most;
    }
    template <class... A>
    using sent = std::tuple<sent_t<P, A>...>;
    // What `out` borrows lies in `from`.
    template <class Sent>
    static void encode(wire::Outgoing& out, Sent& from) {
      if constexpr (plain_arguments) {
        std::apply([&](const auto&... each) { wire::put_plain(out.body, static_cast<const held_t<P>&>(each)...); }, from);
      } else {
        wire::Encoder encoder(out);
        [&]<std::size_t... I>(std::index_sequence<I...>) { (encode_argument<std::tuple_element_t<I, Sent>>(encoder, std::get<I>(from)), ...); }
        (std::index_sequence_for<P...>());
      }
    }

    static void put_small(std::array<std::byte, wire::SmallFrame::most>& bytes, const held_t<P>&... each) {
      [[maybe_unused]] auto* at = bytes.data();
      ((std::memcpy(at, &each, sizeof each), at += sizeof each), ...);
    }

    template <class... A>
    static void send(const std::shared_ptr<StateBase>& state, const Address& to, A&&... arguments) {
      if constexpr (is_small()) {
        std::array<std::byte, wire::SmallFrame::most> bytes;
        put_small(bytes, arguments...);
        begin_call(state, to, *MethodOf<F>::entry, ByteView(bytes).first(wire::plain_bytes<held_t<P>...>));
      } else {
        wire::Outgoing out;
        sent<A...> from(std::forward<A>(arguments)...);
        encode(out, from);
        begin_call(state, to, wire::frame_kind::call, *MethodOf<F>::entry, out);
      }
    }

    template <class... A>
    static typename S::value call(const Address& to, A&&... arguments) {
      if constexpr (is_small()) {
        std::array<std::byte, wire::SmallFrame::most> bytes, came;
        put_small(bytes, arguments...);
        constexpr std::size_t back = result_bytes();
        detail::call(to, *MethodOf<F>::entry, ByteView(bytes).first(wire::plain_bytes<held_t<P>...>), ByteSpan(came).first(back));
        if constexpr (!std::is_void_v<typename S::value>) {
          typename S::value value{};
          wire::take_plain_at(came.data(), value);
          return value;
        }
      } else {
        QuickCall begun;
        {  // while the call runs nothing of the arguments is kept here
          wire::Outgoing out;
          sent<A...> from(std::forward<A>(arguments)...);
          encode(out, from);
          begun = begin_quickly(to, *MethodOf<F>::entry, out);
        }
        if (begun.begun) begun.reply = finish_call(*begun.begun);
        return value_in(*begun.reply, arguments...);
      }
    }

    // As a part of a call to all members of a group.
    template <class... A>
    static void send_to_all(const std::shared_ptr<StateBase>& state, const Address& to, const CallToAll& which, A&&... arguments) {
      wire::Outgoing out;
      sent<A...> from(std::forward<A>(arguments)...);
      encode(out, from);
      append_call_to_all(out, which);
      begin_call(state, to, wire::frame_kind::call, *MethodOf<F>::entry, out);
    }

    // Waits for the reply of what was sent.
    template <class... A>
    static typename S::value value_of(StateBase& state, A&... arguments) {
      auto reply = finish_call(state);
      return value_in(reply, arguments...);
    }

    template <class... A>
    static typename S::value value_in(wire::Message& reply, A&... arguments) {
      if constexpr (!S::copies_back && std::is_void_v<typename S::value>) {
        return;
      } else if constexpr (!S::copies_back && wire::plain<typename S::value>) {
        typename S::value value{};
        wire::take_plain(reply, value);
        return value;
      } else {
        return decoded(reply, arguments...);
      }
    }
    template <class... A>
    static typename S::value decoded(wire::Message& reply, A&... arguments) {
      wire::Decoder in(reply);
      if constexpr (std::is_void_v<typename S::value>) {
        copy_back(in, arguments...);
      } else {
        typename S::value value{};
        in(value);
        copy_back(in, arguments...);
        return value;
      }
    }

    template <class... A>
    static void copy_back(wire::Decoder& in, A&... arguments) {
      (
          [&] {
            if constexpr (comes_back<P>) in(arguments);
          }(),
          ...);
    }
  };
  template <class... A>
  static constexpr bool good() {
    return S::template parameters<With>::template good<A...>();
  }
};

}  // namespace octavo::detail

namespace octavo {

// The two ways of calling: the arrow of a remote_ptr waits, the one of start() does not.
struct Waiting {
  template <auto F, class... A>
  static auto invoke(const Address& to, A&&... arguments) {
    using S = detail::signature<F>;
    if constexpr (detail::Client<F>::template good<A...>())
      return S::template parameters<detail::Client<F>::template With>::call(to, std::forward<A>(arguments)...);
    else return nothing<typename S::value>();
  }
  template <class V>
  static V nothing();  // of a call that does not compile
};
struct Starting {
  template <auto F, class... A>
  static auto invoke(const Address& to, A&&... arguments) {
    using S = detail::signature<F>;
    static_assert(!S::copies_back,
                  "a method that takes a T& cannot be started: the caller would not know when the argument changes. Call it, or return the value");
    if constexpr (!S::copies_back && detail::Client<F>::template good<A...>()) {
      using Begun = detail::State<typename S::value>;
      auto state = std::allocate_shared<Begun>(Recycled<Begun>());
      S::template parameters<detail::Client<F>::template With>::send(state, to, std::forward<A>(arguments)...);
      return future<typename S::value>(std::move(state));
    } else {
      return nothing<typename S::value>();
    }
  }
  template <auto F, class... A>
  static auto invoke_to_all(const Address& to, const detail::CallToAll& which, A&&... arguments) {
    using S = detail::signature<F>;
    if constexpr (detail::Client<F>::template good<A...>()) {
      using Begun = detail::State<typename S::value>;
      auto state = std::allocate_shared<Begun>(Recycled<Begun>());
      S::template parameters<detail::Client<F>::template With>::send_to_all(state, to, which, std::forward<A>(arguments)...);
      return future<typename S::value>(std::move(state));
    } else {
      return nothing<typename S::value>();
    }
  }
  template <class V>
  static future<V> nothing();
};

}  // namespace octavo
