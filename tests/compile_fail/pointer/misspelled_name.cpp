// SPDX-License-Identifier: Apache-2.0
// A name in the line that the class does not have.
// expect: 'ad'
#include "octavo/process.hpp"

class Counter {
 public:
  explicit Counter(int start) : value_(start) {}
  int add(int n) { return value_ += n; }

 private:
  int value_;
};
#ifndef CONTROL
OCTAVO_REMOTE(Counter, ad)
#else
OCTAVO_REMOTE(Counter, add)
#endif
