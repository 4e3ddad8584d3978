// SPDX-License-Identifier: Apache-2.0
// What when_all and when_any share with the futures they wait for. Told on the thread that makes a future ready; takes no lock.
#pragma once

#include <iterator>
#include <limits>
#include <tuple>
#include <variant>

#include "octavo/process/future.hpp"

namespace octavo::detail {

template <class T>
using something = std::conditional_t<std::is_void_v<T>, std::monostate, T>;
template <class T>
struct values {
  using type = std::vector<T>;
};
template <>
struct values<void> {
  using type = void;
};
template <class T>
using values_of = typename values<T>::type;

template <class First, class Last>
auto taken_from(First first, Last last) {
  std::vector<std::iter_value_t<First>> futures;
  for (; first != last; ++first) futures.push_back(std::move(*first));
  return futures;
}

template <class T, class Visit>
void for_each_future(std::vector<future<T>>& futures, Visit visit) {
  for (auto& each : futures) visit(each);
}
template <class... T, class Visit>
void for_each_future(std::tuple<future<T>...>& futures, Visit visit) {
  std::apply([&](auto&... each) { (visit(each), ...); }, futures);
}

template <class Futures>
std::size_t count_valid(Futures& futures, const char* doing) {
  std::size_t count = 0;
  for_each_future(futures, [&](auto& each) {
    if (!each.valid()) raise_empty(doing);
    ++count;
  });
  return count;
}

template <class Futures>
Needs needs_of(Futures& futures, bool any) {
  Needs needs{any, {}};
  for_each_future(futures, [&](auto& each) { needs.of.push_back(Inside::shared(each)); });
  return needs;
}

template <class T>
something<T> take_from(future<T>& from) {
  if constexpr (std::is_void_v<T>) {
    from.get();
    return {};
  } else {
    return from.get();
  }
}

template <class Futures, class Values>
struct All {
  Futures futures;
  promise<Values> result{};
  std::atomic<std::size_t> missing{0};  // and one for as long as we attach: nobody takes while another is still looked at

  static future<Values> gather(Futures given) {
    std::size_t count = count_valid(given, "when_all()");
    auto all = std::make_shared<All>(std::move(given));
    all->missing.store(count + 1);
    auto promised = all->result.get_future();
    Inside::of(all->result).need(needs_of(all->futures, false));
    for_each_future(all->futures, [&](auto& each) { Inside::of(each).on_ready([all] { all->arrive(); }); });
    all->arrive();
    return promised;
  }

  explicit All(Futures given) : futures(std::move(given)) {}

  void arrive() {
    if (missing.fetch_sub(1) != 1) return;
    std::exception_ptr error;
    {
      Futures mine = std::move(futures);  // those behind an error are dropped here, before anybody hears of it
      Address failing;
      auto take = [&](auto& each) {
        failing = Inside::of(each).callee;
        return take_from(each);
      };
      try {
        return deliver(mine, take);
      } catch (...) {
        error = std::current_exception();
        Inside::of(result).callee = failing;
      }
    }
    result.set_exception(std::move(error));
  }

  template <class T, class Take>
  void deliver(std::vector<future<T>>& from, Take take) {
    if constexpr (std::is_void_v<T>) {
      for (auto& each : from) take(each);
      result.set_value();
    } else {
      Values taken;
      taken.reserve(from.size());
      for (auto& each : from) taken.push_back(take(each));
      result.set_value(std::move(taken));
    }
  }
  template <class... T, class Take>
  void deliver(std::tuple<future<T>...>& from, Take take) {
    result.set_value(std::apply([&](auto&... each) { return Values{take(each)...}; }, from));
  }
};

template <class Futures, class Result>
struct Any {
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  Futures futures;
  promise<Result> result{};
  std::atomic<std::size_t> winner{none};
  std::atomic<int> missing{2};  // a winner, and the end of attaching

  static future<Result> gather(Futures given) {
    if (count_valid(given, "when_any()") == 0) raise_empty("when_any() without a future: it is the first");
    auto any = std::make_shared<Any>(std::move(given));
    auto promised = any->result.get_future();
    Inside::of(any->result).need(needs_of(any->futures, true));
    std::size_t index = 0;
    for_each_future(any->futures, [&](auto& each) {
      if (any->winner.load() == none) Inside::of(each).on_ready([any, index] { any->won(index); }, any.get());
      ++index;
    });
    any->arrive();
    return promised;
  }

  explicit Any(Futures given) : futures(std::move(given)) {}

  void won(std::size_t index) {
    std::size_t before = none;
    if (winner.compare_exchange_strong(before, index)) arrive();
  }
  void arrive() {
    if (missing.fetch_sub(1) != 1) return;
    for_each_future(futures, [this](auto& each) { Inside::of(each).detach(this); });
    result.set_value(Result{winner.load(), std::move(futures)});
  }
};

}  // namespace octavo::detail
