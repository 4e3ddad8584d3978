// SPDX-License-Identifier: Apache-2.0
// An aggregate with a C array, whose elements the braces take one by one.
// expect: a member of this aggregate is a C array (which one, from 1, stands behind the type): make it a std::array, or write a serialize(Archive&)
#include <array>

#include "octavo/process.hpp"

struct Body {
#ifndef CONTROL
  double x[3];
#else
  std::array<double, 3> x;
#endif
  double mass;
};
class Sky {
 public:
  void add(const Body&) {}
};
OCTAVO_REMOTE(Sky, add)
