// SPDX-License-Identifier: Apache-2.0
// p[i] where p points to one object.
// expect: p[i] is for remote arrays: make<T[]>(n) gives an octavo::remote_ptr<T[]>, this one points to one object
#include "octavo/process.hpp"

#ifndef CONTROL
using Data = octavo::remote_ptr<double>;
#else
using Data = octavo::remote_ptr<double[]>;
#endif
double third(const Data& data) {
  data[2] = 1.5;
  return data[2];
}
