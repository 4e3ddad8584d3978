// SPDX-License-Identifier: Apache-2.0
// Arguments left out where the method is named by its address.
// expect: a call by the method's address takes all arguments
#include "octavo/process.hpp"

class Counter {
 public:
  explicit Counter(int start) : value_(start) {}
  int add(int n = 1) { return value_ += n; }

 private:
  int value_;
};
OCTAVO_REMOTE(Counter, add)

auto call(const octavo::remote_ptr<Counter>& p) {
#ifndef CONTROL
  return octavo::call<&Counter::add>(p);
#else
  return p->add();
#endif
}
