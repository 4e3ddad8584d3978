// SPDX-License-Identifier: Apache-2.0
// Feedback of a stage that is within a farm of a pipeline.
// expect: octavo: a stage that feeds back is a farm or stage of its own, and not one within a farm of a pipeline
#include <vector>

#include "octavo/stream.hpp"

struct CountDown {
  void svc(int x, octavo::emit<int>& out, octavo::again<int>& more) {
    if (x > 0) more(x - 1);
    else out(x);
  }
};

void run() {
  const auto inner = octavo::pipeline([](int x) { return x; }, octavo::stage<CountDown>());
#ifdef CONTROL
  octavo::pipeline(std::vector{1, 2}, inner).run();
#else
  octavo::pipeline(std::vector{1, 2}, octavo::farm(inner)).run();
#endif
}
