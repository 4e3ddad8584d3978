// SPDX-License-Identifier: Apache-2.0
// The same as a result.
// expect: the result of this method cannot travel: give its type a serialize(Archive&), or make it an aggregate of types that travel
#include "octavo/process.hpp"

class Shape {
 public:
  Shape() = default;
#ifdef CONTROL
  template <class Archive>
  void serialize(Archive& archive) {
    archive(sides_);
  }
#endif

 private:
  int sides_ = 3;
};
class Canvas {
 public:
  Shape last() { return {}; }
};
OCTAVO_REMOTE(Canvas, last)

auto call(const octavo::remote_ptr<Canvas>& p) { return p->last(); }
