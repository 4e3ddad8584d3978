// SPDX-License-Identifier: Apache-2.0
// A parameter of a class with private members and no serialize.
// expect: this parameter type cannot travel: give it a serialize(Archive&), or make it an aggregate of types that travel
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
  int draw(const Shape&) { return 1; }
};
OCTAVO_REMOTE(Canvas, draw)

int call(const octavo::remote_ptr<Canvas>& p) { return p->draw(Shape()); }
