// SPDX-License-Identifier: Apache-2.0
// A method that the class does not have, or that its line does not name.
// expect: octavo_methods_in_OCTAVO_REMOTE_of<Counter, octavo::Waiting>' has no member named 'nope'
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
  return p->nope(1);
#else
  return p->add(1);
#endif
}
