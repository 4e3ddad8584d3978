// SPDX-License-Identifier: Apache-2.0
// A program that knows the classes of both libraries.
#include <gtest/gtest.h>

#include "kit/watchdog.hpp"
#include "system/libraries/derived.hpp"
#include "system/libraries/factory.hpp"

namespace libraries {
namespace {

namespace ov = octavo;

class KnowsBoth : public testing::Test {
 protected:
  ov::kit::Watchdog watchdog{60};
  ov::Runtime runtime;
  ov::Machine here = runtime.machine();
};

void check_derived(const ov::remote_ptr<Derived>& derived) {
  EXPECT_EQ(derived->add(3), 10);
  EXPECT_EQ(derived->drop(4), 6);
  EXPECT_EQ(derived->describe(), "special 6") << "the base's method calls the derived class's";
  derived->set_label("new");
  EXPECT_EQ(derived->label(), "[new]");

  ov::remote_ptr<Base> base = derived;
  EXPECT_EQ(base->who(), "special");
  EXPECT_EQ(base->add(1), 7);
  ov::remote_ptr<Labelled> labelled = derived;
  EXPECT_EQ(labelled->label(), "[new]");
}

TEST_F(KnowsBoth, C9_DerivedAndBaseOfTwoLibraries) {
  auto derived = here.make<Derived>(7, "special");
  check_derived(derived);
  EXPECT_EQ(derived->scale(2), 14);
  EXPECT_EQ(derived->scale(0.5), 7.0);
  EXPECT_EQ(here.make<Base>(1)->who(), "base");
}

// Of another build: the methods that are one, by their names in the line.
TEST_F(KnowsBoth, C9_ServedByAProgramThatRefersToNoneOfIt) { check_derived(here.served_by({SERVER}).make<Derived>(7, "special")); }

}  // namespace
}  // namespace libraries
