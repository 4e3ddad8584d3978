// SPDX-License-Identifier: Apache-2.0
// A remote_ptr<Base> from one of a class that is not derived from it.
// expect: conversion from 'remote_ptr<Apple>' to non-scalar type 'remote_ptr<Animal>' requested
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
  octavo::remote_ptr<Animal> animal = apple;
  return animal;
#else
  octavo::remote_ptr<Animal> animal = cat;
  return animal;
#endif
}
