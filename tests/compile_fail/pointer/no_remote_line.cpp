// SPDX-License-Identifier: Apache-2.0
// The arrow of a class without the line.
// expect: p->method() needs OCTAVO_REMOTE(Class, method...) after the class and above this line
#include "octavo/process.hpp"

class Counter {
 public:
  explicit Counter(int start) : value_(start) {}
  int add(int n) { return value_ += n; }

 private:
  int value_;
};

auto call(const octavo::remote_ptr<Counter>& p) {
#ifndef CONTROL
  return p->add(1);
#else
  return octavo::call<&Counter::add>(p, 1);
#endif
}
