// SPDX-License-Identifier: Apache-2.0
// An aggregate with more members than are counted.
// expect: an aggregate of more than 64 members (each element of a C array counts) needs a serialize(Archive&), or a std::array in place of the array
#include <array>

#include "octavo/process.hpp"

struct Matrix {
#ifndef CONTROL
  double elements[9][9];
#else
  std::array<std::array<double, 9>, 9> elements;
#endif
};
class Solver {
 public:
  [[nodiscard]] Matrix inverse() const { return {}; }
};
OCTAVO_REMOTE(Solver, inverse)
