// SPDX-License-Identifier: Apache-2.0
// What a real call through a remote_ptr costs: one integer there, one back.
#pragma once

#include <octavo/process.hpp>

#include "kit/pinned.hpp"

namespace bench {

class Callee : There {
 public:
  long add(long number) { return sum_ += number; }
  void take(long number) { sum_ += number; }

 private:
  long sum_ = 0;
};
OCTAVO_REMOTE(Callee, add, take)

using CalleePtr = octavo::remote_ptr<Callee>;
double round_trip(const CalleePtr& callee);           // seconds
double round_trip_asleep(const CalleePtr& callee);    // of a call whose callee sleeps
double started_per_second(const CalleePtr& callee);   // futures collected in windows of 1,000
double detached_per_second(const CalleePtr& callee);  // until all have run

}  // namespace bench
