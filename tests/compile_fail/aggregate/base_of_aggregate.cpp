// SPDX-License-Identifier: Apache-2.0
// An aggregate with a base class.
// expect: an aggregate with a base class cannot be taken apart into its members: write a serialize(Archive&) for it
#include "octavo/process.hpp"

struct Point {
  double x, y;
};
struct Body : Point {
  double mass;
#ifdef CONTROL
  template <class Archive>
  void serialize(Archive& archive) {
    archive(x, y, mass);
  }
#endif
};
class Sky {
 public:
  void add(const Body&) {}
};
OCTAVO_REMOTE(Sky, add)
