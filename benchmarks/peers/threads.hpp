// SPDX-License-Identifier: Apache-2.0
// Two threads and two queues of pointers, of whatever library: `Queue` has push(void*) and pop(), which wait.
//
//   half_trip 0 COUNT   a pointer there and back; seconds one way
//   pointers 0 COUNT    pointers a second, one way
#pragma once

#include <atomic>
#include <thread>

#include "answering.hpp"

namespace peer {

// Both begin together, each on a processor of its own; gives the seconds of `here`.
template <class Here, class There>
double together(Here here, There there) {
  std::atomic<int> begun{0};
  auto begin = [&begun](int rank) {
    pin(rank);
    ++begun;
    while (begun.load() != 2) {}
  };
  double seconds = 0;
  auto timed = [&] {
    begin(0);
    auto since = Clock::now();
    here();
    seconds = seconds_since(since);
  };
  std::thread other([&] {
    begin(1);
    there();
  });
  std::thread(timed).join();  // so that the thread that waits for requests stays free to be anywhere
  other.join();
  return seconds;
}

template <class Queue>
double half_trip(const Request& request) {
  Queue there, back;
  int target = 0;
  auto here = [&] {
    for (long i = 0; i < request.count; ++i) {
      there.push(&target);
      back.pop();
    }
  };
  auto echo = [&] {
    for (long i = 0; i < request.count; ++i) back.push(there.pop());
  };
  return together(here, echo) / static_cast<double>(request.count) / 2;
}

template <class Queue>
double pointers(const Request& request) {
  Queue queue;
  int target = 0;
  auto pop = [&] {
    for (long i = 0; i < request.count; ++i) queue.pop();
  };
  auto push = [&] {
    for (long i = 0; i < request.count; ++i) queue.push(&target);
  };
  return static_cast<double>(request.count) / together(pop, push);
}

// The questions about a library's bounded queue.
template <class Queue>
Measures measures_of() {
  return {{"half_trip", half_trip<Queue>}, {"pointers", pointers<Queue>}};
}

}  // namespace peer
