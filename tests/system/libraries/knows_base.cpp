// SPDX-License-Identifier: Apache-2.0
// A program that knows the first library's classes; the second makes the objects.
#include <gtest/gtest.h>

#include "kit/watchdog.hpp"
#include "system/libraries/factory.hpp"

namespace libraries {
namespace {

namespace ov = octavo;

TEST(KnowsBase, C9_TheOtherLibraryMakesTheObject) {
  ov::kit::Watchdog watchdog(60);
  ov::Runtime runtime;
  auto here = runtime.machine();
  auto base = make_derived(here, 5, "derived");
  EXPECT_EQ(base->add(2), 7);
  EXPECT_EQ(base->describe(), "derived 7");
  EXPECT_EQ(base->scale(2, 3), 56) << "overloaded, and compiled here only";
  EXPECT_EQ(ov::start(base)->scale(3).get(), 168) << "with a default";
  auto secret = make_secret(here, 1);
  EXPECT_EQ(secret->describe(), "very secret 1");
  EXPECT_EQ(secret->scale(2.0), 2.0);
}

}  // namespace
}  // namespace libraries
