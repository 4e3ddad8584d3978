// SPDX-License-Identifier: Apache-2.0
// Too many arguments.
// expect: this method takes another number of arguments
#include "octavo/process.hpp"

class Counter {
 public:
  explicit Counter(int start) : value_(start) {}
  int add(int n) { return value_ += n; }

 private:
  int value_;
};
OCTAVO_REMOTE(Counter, add)

auto call(const octavo::remote_ptr<Counter>& p) {
#ifndef CONTROL
  return p->add(1, 2);
#else
  return p->add(1);
#endif
}
