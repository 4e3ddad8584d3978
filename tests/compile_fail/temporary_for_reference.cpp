// SPDX-License-Identifier: Apache-2.0
// A temporary where a T& is to come back.
// expect: an argument for a T& parameter must be a T that can be written to
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
  p->scale(std::vector<double>(data));
#else
  p->scale(data);
#endif
}
