// SPDX-License-Identifier: Apache-2.0
// What when_all, when_any and when_n share with the futures they wait for. Told on the thread that makes a future ready; takes no lock.
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

[[noreturn]] void raise_too_few(const char* doing, std::size_t wanted, std::size_t given);

// The first `wanted` of them to be ready: for when_any one.
template <class Futures, class Result>
struct Some {
  Futures futures;
  std::vector<std::size_t> order;  // which were ready first, second and so on
  promise<Result> result{};
  std::atomic<std::size_t> come{0};     // how many were ready
  std::atomic<std::size_t> missing{0};  // places in `order`, and the end of attaching

  static future<Result> gather(Futures given, std::size_t wanted, const char* doing) {
    const std::size_t count = count_valid(given, doing);
    if (wanted > count) raise_too_few(doing, wanted, count);
    auto some = std::make_shared<Some>(std::move(given), wanted);
    auto promised = some->result.get_future();
    if (wanted != 0) Inside::of(some->result).need(needs_of(some->futures, wanted < count));
    std::size_t index = 0;
    for_each_future(some->futures, [&](auto& each) {
      if (some->come.load() < wanted) Inside::of(each).on_ready([some, index] { some->ready(index); }, some.get());
      ++index;
    });
    some->arrive();
    return promised;
  }

  Some(Futures given, std::size_t wanted) : futures(std::move(given)), order(wanted), missing(wanted + 1) {}

  void ready(std::size_t index) {
    const auto place = come.fetch_add(1);
    if (place >= order.size()) return;
    order[place] = index;
    arrive();
  }
  void arrive() {
    if (missing.fetch_sub(1) != 1) return;
    for_each_future(futures, [this](auto& each) { Inside::of(each).detach(this); });
    result.set_value(Result::of(std::move(order), std::move(futures)));
  }
};

}  // namespace octavo::detail
