// SPDX-License-Identifier: Apache-2.0
// The same as an argument.
// expect: an argument does not convert to the type of its parameter
#include "octavo/process.hpp"

class Animal {};
class Apple {};
class Cat : public Animal {
 public:
  void meet(const octavo::remote_ptr<Animal>&) {}
};
OCTAVO_REMOTE(Cat, (Animal), meet)

auto call(const octavo::remote_ptr<Apple>& apple, const octavo::remote_ptr<Cat>& cat) {
#ifndef CONTROL
  cat->meet(apple);
#else
  cat->meet(cat);
#endif
}
