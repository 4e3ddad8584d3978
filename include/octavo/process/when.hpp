// SPDX-License-Identifier: Apache-2.0
// Several futures as one: when all of them are ready, or the first, or so many.
//
//   auto [a, b] = octavo::when_all(octavo::start(p)->area(), octavo::start(q)->name()).get();  // std::tuple; std::monostate for a void
//   std::vector<double> x = octavo::when_all(std::move(futures)).get();                        // of std::vector<octavo::future<double>>
//   auto first = octavo::when_any(std::move(futures)).get();       // first.index is ready; first.futures has them all, in their order
//   auto quorum = octavo::when_n(2, std::move(three)).get();       // quorum.ready: which two were first, in that order; quorum.futures has all three
//   if (octavo::when_any(octavo::start(p)->step(), octavo::start(q)->step()).wait_for(1s)) go_on();  // a future like any other
//
// They take the futures. when_all is ready when all are, also after an error: then it throws the first by position, values are discarded,
// and the other errors are those of dropped futures: raised by destroy() of their process, or logged at exit. when_any and when_n never fail for a
// call that failed, which is ready as any other: take it from `futures` to see; what is not taken from there is dropped, and detaches.
// They are ready on the thread that reads, without the object's methods: a method may wait for them.
// Errors: usage_error for an empty future among them, when_any of none, or when_n of more than there are. when_all of none, and when_n(0), are ready at once.
// A cycle of waits is found where none of the futures can be ready; in when_n of some that means all of those it was given, not only too many of them.
#pragma once

#include "octavo/process/detail/gather.hpp"

namespace octavo {

template <class Futures>  // std::vector<future<T>> or std::tuple<future<T>...>
struct when_any_result {
  std::size_t index = 0;
  Futures futures;
  static when_any_result of(std::vector<std::size_t> order, Futures futures) { return {order.front(), std::move(futures)}; }
};

template <class Futures>  // the same
struct when_n_result {
  std::vector<std::size_t> ready;  // so many, in the order in which they became so; others may be ready by now, too
  Futures futures;
  static when_n_result of(std::vector<std::size_t> order, Futures futures) { return {std::move(order), std::move(futures)}; }
};

template <class T>
future<detail::values_of<T>> when_all(std::vector<future<T>> futures) {
  return detail::All<std::vector<future<T>>, detail::values_of<T>>::gather(std::move(futures));
}

template <class... T>
  requires(sizeof...(T) > 0)
future<std::tuple<detail::something<T>...>> when_all(future<T>... futures) {
  return detail::All<std::tuple<future<T>...>, std::tuple<detail::something<T>...>>::gather({std::move(futures)...});
}

// Moves the futures out of the range.
template <std::input_iterator First, std::sentinel_for<First> Last>
auto when_all(First first, Last last) {
  return when_all(detail::taken_from(std::move(first), std::move(last)));
}

template <class T>
future<when_any_result<std::vector<future<T>>>> when_any(std::vector<future<T>> futures) {
  return detail::Some<std::vector<future<T>>, when_any_result<std::vector<future<T>>>>::gather(std::move(futures), 1, "when_any()");
}

template <class... T>
  requires(sizeof...(T) > 0)
future<when_any_result<std::tuple<future<T>...>>> when_any(future<T>... futures) {
  return detail::Some<std::tuple<future<T>...>, when_any_result<std::tuple<future<T>...>>>::gather({std::move(futures)...}, 1, "when_any()");
}

template <std::input_iterator First, std::sentinel_for<First> Last>
auto when_any(First first, Last last) {
  return when_any(detail::taken_from(std::move(first), std::move(last)));
}

template <class T>
future<when_n_result<std::vector<future<T>>>> when_n(std::size_t count, std::vector<future<T>> futures) {
  return detail::Some<std::vector<future<T>>, when_n_result<std::vector<future<T>>>>::gather(std::move(futures), count, "when_n()");
}

template <class... T>
  requires(sizeof...(T) > 0)
future<when_n_result<std::tuple<future<T>...>>> when_n(std::size_t count, future<T>... futures) {
  return detail::Some<std::tuple<future<T>...>, when_n_result<std::tuple<future<T>...>>>::gather({std::move(futures)...}, count, "when_n()");
}

template <std::input_iterator First, std::sentinel_for<First> Last>
auto when_n(std::size_t count, First first, Last last) {
  return when_n(count, detail::taken_from(std::move(first), std::move(last)));
}

}  // namespace octavo
