// SPDX-License-Identifier: Apache-2.0
// future::then: a coroutine that awaits the one, does the work, and is the other.
// It is included by octavo/process/future.hpp and does not include it: templates need the futures only where they are used.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>

#include "octavo/process/detail/state.hpp"

namespace octavo {
template <class T>
class future;
template <class T>
class promise;
}  // namespace octavo

namespace octavo::detail {

// For then, when_all, when_any and when_n.
struct Inside {
  template <class T>
  static StateBase& of(const future<T>& f) {
    return *f.state_;
  }
  template <class T>
  static std::shared_ptr<StateBase> shared(const future<T>& f) {
    return f.state_;
  }
  template <class T>
  static StateBase& of(const promise<T>& p) {
    return *p.state_;
  }
};

template <class T>
struct is_future : std::false_type {
  using content = T;
};
template <class T>
struct is_future<future<T>> : std::true_type {
  using content = T;
};

template <class T, class Work>
inline constexpr bool takes_value = std::is_invocable_v<Work, T>;
template <class Work>
inline constexpr bool takes_value<void, Work> = std::is_invocable_v<Work>;

template <class T, class Work>
decltype(auto) apply_to(Work& work, future<T>& from) {
  if constexpr (!takes_value<T, Work>) {
    static_assert(std::is_invocable_v<Work, future<T>>, "then(work): work must take the future's value (of void: nothing), or the future itself");
    return std::invoke(std::move(work), std::move(from));
  } else if constexpr (std::is_void_v<T>) {
    from.get();
    return std::invoke(std::move(work));
  } else {
    return std::invoke(std::move(work), from.get());
  }
}

// Awaits without taking the value. If nobody takes the error of the coroutine's result either, it is that of the call it awaited.
struct Settled {
  std::shared_ptr<StateBase> state;
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <class Promise>
  bool await_suspend(std::coroutine_handle<Promise> handle) const {
    auto from = state;  // the coroutine may go on, and end, before this returns
    Inside::of(handle.promise().result).callee = from->callee;
    handle.promise().awaits(from);
    return suspend_until_ready(*from, handle);
  }
  void await_resume() const noexcept {}
};

template <class T, class Work>
struct Continued {
  using R = std::remove_cvref_t<decltype(apply_to<T, Work>(std::declval<Work&>(), std::declval<future<T>&>()))>;
  using U = std::decay_t<typename is_future<R>::content>;

  static future<U> run(future<T> from, Work work) {
    Settled settled{Inside::shared(from)};
    co_await settled;
    if constexpr (is_future<R>::value) {
      R inner = apply_to<T, Work>(work, from);
      if constexpr (std::is_void_v<U>) {
        co_await inner;
      } else {
        U value = co_await inner;
        co_return std::move(value);
      }
    } else if constexpr (std::is_void_v<U>) {
      apply_to<T, Work>(work, from);
    } else {
      co_return apply_to<T, Work>(work, from);
    }
  }
};

}  // namespace octavo::detail
