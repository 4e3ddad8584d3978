// SPDX-License-Identifier: Apache-2.0
// A constructor that the class does not have.
// expect: the class has no constructor that takes these arguments
#include "octavo/process.hpp"

class Counter {
 public:
  explicit Counter(int start) : value_(start) {}
  int add(int n) { return value_ += n; }

 private:
  int value_;
};
OCTAVO_REMOTE(Counter, add)

auto call(const octavo::Machine& here) {
#ifndef CONTROL
  return here.make<Counter>("five", 1.5);
#else
  return here.make<Counter>(5);
#endif
}
