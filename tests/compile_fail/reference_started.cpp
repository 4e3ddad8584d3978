// SPDX-License-Identifier: Apache-2.0
// Starting a method that takes a T&.
// expect: a method that takes a T& cannot be started: the caller would not know when the argument changes. Call it, or return the value
#include <vector>

#include "octavo/process.hpp"

class Scaler {
 public:
  void scale(std::vector<double>& data) {
    for (auto& x : data) x *= 2;
  }
};
OCTAVO_REMOTE(Scaler, scale)

auto call(const octavo::remote_ptr<Scaler>& p, std::vector<double>& data) {
#ifndef CONTROL
  octavo::start(p)->scale(data).get();
#else
  p->scale(data);
#endif
}
