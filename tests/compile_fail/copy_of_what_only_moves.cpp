// SPDX-License-Identifier: Apache-2.0
// A variable that can only be moved, passed without std::move.
// expect: an argument does not convert to the type of its parameter
#include <memory>
#include <utility>

#include "octavo/process.hpp"

class Keeper {
 public:
  int keep(std::unique_ptr<int> p) { return *p; }
};
OCTAVO_REMOTE(Keeper, keep)

auto call(const octavo::remote_ptr<Keeper>& p, std::unique_ptr<int> number) {
#ifndef CONTROL
  return p->keep(number);
#else
  return p->keep(std::move(number));
#endif
}
