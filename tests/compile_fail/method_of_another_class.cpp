// SPDX-License-Identifier: Apache-2.0
// A method by its address, of a class that is no base of the pointer's.
// expect: this is no method of the pointer's class, and no function whose first parameter is a reference to it
#include "octavo/process.hpp"

class Counter {
 public:
  explicit Counter(int start) : value_(start) {}
  int add(int n) { return value_ += n; }

 private:
  int value_;
};
OCTAVO_REMOTE(Counter, add)
class Other {
 public:
  int f() { return 1; }
};

auto call(const octavo::remote_ptr<Counter>& p) {
#ifndef CONTROL
  return octavo::call<&Other::f>(p);
#else
  return octavo::call<&Counter::add>(p, 1);
#endif
}
