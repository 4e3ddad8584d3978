// SPDX-License-Identifier: Apache-2.0
// OCTAVO_REMOTE of classes whose names are more than one word.
#include <gtest/gtest.h>

#include <vector>

#include "kit/watchdog.hpp"
#include "octavo/process.hpp"

namespace process_tests {

template <class T>
class Field {
 public:
  explicit Field(std::size_t n = 1) : values_(n) {}
  void set(std::size_t i, T value) { values_[i] = value; }
  [[nodiscard]] T at(std::size_t i = 0) const { return values_[i]; }

 private:
  std::vector<T> values_;
};
OCTAVO_REMOTE(Field<double>, set, at)
OCTAVO_REMOTE(Field<int>, set, at)

struct Outer {
  class Inner {
   public:
    [[nodiscard]] int twice(int n) const { return 2 * n; }
  };
};
OCTAVO_REMOTE(Outer::Inner, twice)

class Derived : public Outer::Inner, public Field<int> {
 public:
  [[nodiscard]] int own() const { return 5; }
};
OCTAVO_REMOTE(Derived, (Outer::Inner, Field<int>), own)

namespace {

TEST(ClassesByAnyName, TemplatesAndNestedOnesHaveArrows) {
  const octavo::kit::Watchdog watchdog{60};
  const octavo::Runtime runtime;
  const auto p = octavo::process.make<Field<double>>(2u);
  p->set(1, 2.5);
  EXPECT_EQ(p->at(1), 2.5);
  EXPECT_EQ(p->at(), 0.0);
  EXPECT_EQ(octavo::process.make<Outer::Inner>()->twice(4), 8);
  const auto q = octavo::process.make<Derived>();
  q->set(0, 7);
  EXPECT_EQ(q->at(0) + q->twice(1) + octavo::start(q)->own().get(), 14);
}

}  // namespace
}  // namespace process_tests
