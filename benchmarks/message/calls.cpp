// SPDX-License-Identifier: Apache-2.0
#include "message/calls.hpp"

#include <thread>
#include <vector>

#include "kit/clock.hpp"
#include "kit/limits.hpp"

namespace bench {

double round_trip(const CalleePtr& callee) {
  constexpr int calls = 20'000;
  auto begin = Clock::now();
  for (int i = 0; i < calls; ++i) callee->add(i);
  return seconds_since(begin) / calls;
}

double round_trip_asleep(const CalleePtr& callee) {
  constexpr int calls = 50;
  double sum = 0;
  for (int i = 0; i < calls; ++i) {
    std::this_thread::sleep_for(rest);  // what is measured begins when it has gone to sleep
    auto begin = Clock::now();
    callee->add(i);
    sum += seconds_since(begin);
  }
  return sum / calls;
}

double started_per_second(const CalleePtr& callee) {
  constexpr int window = 1000, windows = 20;
  std::vector<octavo::future<long>> open;
  open.reserve(window);
  auto begin = Clock::now();
  for (int i = 0; i < windows; ++i) {
    for (int k = 0; k < window; ++k) open.push_back(octavo::start(callee)->add(k));
    for (auto& each : open) each.get();
    open.clear();
  }
  return windows * window / seconds_since(begin);
}

double detached_per_second(const CalleePtr& callee) {
  constexpr int calls = 50'000;
  auto begin = Clock::now();
  for (int i = 0; i < calls; ++i) static_cast<void>(octavo::start(callee)->take(i));
  callee->add(0);  // C-2: after all of them
  return calls / seconds_since(begin);
}

}  // namespace bench
