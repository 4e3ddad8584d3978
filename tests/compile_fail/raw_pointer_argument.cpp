// SPDX-License-Identifier: Apache-2.0
// A method with a pointer to memory that the other process does not have.
// expect: a raw pointer cannot travel to another process: pass a std::span, a std::string, an octavo::Page or a remote_ptr instead
#include <span>

#include "octavo/process.hpp"

class Sum {
 public:
#ifndef CONTROL
  double of(const double* data, int n) { return n == 0 ? 0 : *data; }
#else
  double of(std::span<const double> data, int n) { return n == 0 ? 0 : data[0]; }
#endif
};
OCTAVO_REMOTE(Sum, of)
