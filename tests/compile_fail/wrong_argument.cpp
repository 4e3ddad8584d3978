// SPDX-License-Identifier: Apache-2.0
// An argument of another type.
// expect: an argument does not convert to the type of its parameter
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
  return p->add("three");
#else
  return p->add(3);
#endif
}
