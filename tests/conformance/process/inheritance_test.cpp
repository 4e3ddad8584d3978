// SPDX-License-Identifier: Apache-2.0
// C-9: methods of a base class, through a pointer to the derived class or to the base, virtual ones too. Two libraries: tests/system/libraries.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "conformance/process/every_place.hpp"

namespace inheritance_tests {

namespace ov = octavo;

class Animal {
 public:
  explicit Animal(std::string name) : name_(std::move(name)) {}
  virtual ~Animal() = default;
  [[nodiscard]] std::string name() const { return name_; }
  [[nodiscard]] virtual std::string speak() const { return "..."; }
  [[nodiscard]] virtual std::string eat(int) { return "grams"; }
  [[nodiscard]] virtual std::string eat(const std::string& what, int times = 1) { return std::to_string(times) + " " + what; }

 private:
  std::string name_;
};
OCTAVO_REMOTE(Animal, name, speak, eat)

class Counted {
 public:
  virtual ~Counted() = default;
  int step(int by) { return count_ += by; }
  [[nodiscard]] virtual int count() const { return count_; }

 private:
  int count_ = 100;
};
OCTAVO_REMOTE(Counted, step, count)

// Without the line.
class Plain {
 public:
  [[nodiscard]] int plain() const { return plain_; }

 private:
  int plain_ = 17;
};

class Dog : public Animal, public Counted, public Plain {
 public:
  using Animal::Animal;
  [[nodiscard]] std::string speak() const override { return "wuff"; }
  [[nodiscard]] std::string eat(int grams) override { return std::to_string(grams) + " g"; }
  [[nodiscard]] std::string eat(const std::string& what, int times = 1) override { return "much " + Animal::eat(what, times); }
  [[nodiscard]] std::string fetch(const ov::remote_ptr<Animal>& from) const { return "from " + from->name() + " to " + name(); }
};
OCTAVO_REMOTE(Dog, (Animal, Counted, Plain), fetch, plain)

class Puppy : public Dog {
 public:
  using Dog::Dog;
  [[nodiscard]] std::string speak() const override { return "wiff"; }
  [[nodiscard]] int count() const override { return -Dog::count(); }
  [[nodiscard]] int age() const { return 1; }
};
OCTAVO_REMOTE(Puppy, (Dog), age)

// One base on two ways.
struct Root {
  int id = 5;
  [[nodiscard]] int identity() const { return id; }
};
OCTAVO_REMOTE(Root, identity)
struct Left : virtual Root {
  [[nodiscard]] int left() const { return 1; }
};
OCTAVO_REMOTE(Left, (Root), left)
struct Right : virtual Root {
  [[nodiscard]] int right() const { return id * 2; }
};
OCTAVO_REMOTE(Right, (Root), right)
struct Diamond : Left, Right {
  Diamond() { id = 6; }
};
OCTAVO_REMOTE(Diamond, (Left, Right), identity)

class Abstract {
 public:
  virtual ~Abstract() = default;
  virtual int area() = 0;
  int twice() { return 2 * area(); }
};
OCTAVO_REMOTE(Abstract, area, twice)
class Square : public Abstract {
 public:
  explicit Square(int side) : side_(side) {}
  int area() override { return side_ * side_; }

 private:
  int side_;
};
OCTAVO_REMOTE(Square, (Abstract), area)

// Derived, without the line: it has its base's arrow, and needs no base named.
class Stray : public Animal {
 public:
  Stray() : Animal("nobody's") {}
};

namespace {

using Inheritance = process_tests::EveryPlace;
INSTANTIATE_TEST_SUITE_P(, Inheritance, process_tests::every_place, process_tests::name_of_place);

TEST_P(Inheritance, C9_TheBasesMethodsComeAlong) {
  auto dog = here.make<Dog>("Rex");
  EXPECT_EQ(dog->name(), "Rex");
  EXPECT_EQ(dog->speak(), "wuff");
  EXPECT_EQ(dog->step(5), 105) << "the second base, at an offset";
  EXPECT_EQ(dog->plain(), 17) << "the third, which has no line of its own";
  EXPECT_EQ(ov::start(dog)->count().get(), 105);
  EXPECT_EQ(ov::call<&Animal::speak>(dog), "wuff");
  EXPECT_EQ(ov::call<&Plain::plain>(dog), 17);
}

TEST_P(Inheritance, C9_APointerToTheBaseReachesTheObjectsOwnMethods) {
  auto puppy = here.make<Puppy>("Bit");
  ov::remote_ptr<Dog> as_dog = puppy;
  ov::remote_ptr<Animal> as_animal = puppy;
  ov::remote_ptr<Counted> as_counted = as_dog;
  EXPECT_EQ(as_dog->speak() + as_animal->speak() + puppy->speak(), "wiffwiffwiff");
  EXPECT_EQ(as_animal->name(), "Bit");
  EXPECT_EQ(as_counted->step(1), 101);
  EXPECT_EQ(as_counted->count(), -101);
  EXPECT_EQ(puppy->age(), 1);
  EXPECT_EQ(ov::start(as_animal)->speak().get(), "wiff");
}

TEST_P(Inheritance, C9_OverloadsAndDefaultsAreVirtualToo) {
  auto dog = here.make<Dog>("Rex");
  ov::remote_ptr<Animal> animal = dog;
  EXPECT_EQ(animal->eat(300), "300 g");
  EXPECT_EQ(animal->eat("bones"), "much 1 bones");
  EXPECT_EQ(dog->eat("bones", 3), "much 3 bones");
}

TEST_P(Inheritance, C9_PointersConvertWhereTheyTravel) {
  auto dog = here.make<Dog>("Rex");
  auto puppy = here.make<Puppy>("Bit");
  EXPECT_EQ(dog->fetch(puppy), "from Bit to Rex");
  std::vector<ov::remote_ptr<Animal>> all{dog, puppy, here.make<Animal>("Tom")};
  std::string said;
  for (const auto& each : all) said += each->speak();
  EXPECT_EQ(said, "wuffwiff...");
}

TEST_P(Inheritance, C9_ADerivedClassWithoutTheLineHasItsBasesArrow) {
  auto stray = here.make<Stray>();
  EXPECT_EQ(stray->name(), "nobody's");
  ov::remote_ptr<Animal> animal = stray;
  EXPECT_EQ(animal->speak(), "...");
}

TEST_P(Inheritance, C9_AVirtualBaseIsThereOnce) {
  auto diamond = here.make<Diamond>();
  EXPECT_EQ(diamond->identity(), 6) << "named again, as both ways lead to it";
  EXPECT_EQ(diamond->left() + diamond->right(), 13);
  ov::remote_ptr<Right> right = diamond;
  ov::remote_ptr<Root> root = diamond;
  EXPECT_EQ(right->identity() + root->identity(), 12);
}

TEST_P(Inheritance, C9_AnAbstractBase) {
  auto square = here.make<Square>(3);
  ov::remote_ptr<Abstract> shape = square;
  EXPECT_EQ(shape->area() + shape->twice() + square->twice(), 9 + 18 + 18);
}

TEST(Conversions, AreThoseOfOrdinaryPointers) {
  struct Hidden : private Animal {
    using Animal::Animal;
  };
  EXPECT_TRUE((std::is_convertible_v<ov::remote_ptr<Puppy>, ov::remote_ptr<Counted>>));
  EXPECT_FALSE((std::is_convertible_v<ov::remote_ptr<Animal>, ov::remote_ptr<Dog>>));
  EXPECT_FALSE((std::is_convertible_v<ov::remote_ptr<Counted>, ov::remote_ptr<Animal>>));
  EXPECT_FALSE((std::is_convertible_v<ov::remote_ptr<Hidden>, ov::remote_ptr<Animal>>)) << "a private base";
}

}  // namespace
}  // namespace inheritance_tests
