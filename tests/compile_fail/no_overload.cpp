// SPDX-License-Identifier: Apache-2.0
// An overloaded method, none of which takes the argument.
// expect: the method cannot be called with these arguments: no overload of it takes them
#include <string>
#include <vector>

#include "octavo/process.hpp"

class Shelf {
 public:
  int put(int n) { return n; }
  int put(const std::string& text) { return static_cast<int>(text.size()); }
};
OCTAVO_REMOTE(Shelf, put)

auto call(const octavo::remote_ptr<Shelf>& p) {
#ifndef CONTROL
  return p->put(std::vector<int>{1});
#else
  return p->put("one");
#endif
}
