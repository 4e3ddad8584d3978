// SPDX-License-Identifier: Apache-2.0
// How long a relay looks before it sleeps.
#include "road/net/vigil.hpp"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using octavo::road::net::Vigil;

TEST(Vigil, IsShortWhereNothingComes) {
  Vigil vigil;
  for (int i = 0; i < 20; ++i) vigil.paid();
  for (int i = 0; i < 20; ++i) {
    vigil.was_in_vain();
    vigil.slept(1s);
  }
  EXPECT_LE(vigil.time(), 2us) << "who has nothing to do uses no processor";
}

TEST(Vigil, IsLongerWhereItWouldHavePaid) {
  Vigil vigil;
  const auto before = vigil.time();
  vigil.was_in_vain();
  vigil.slept(50us);
  EXPECT_GT(vigil.time(), before);
}

TEST(Vigil, IsBounded) {
  Vigil vigil;
  for (int i = 0; i < 100; ++i) vigil.paid();
  EXPECT_LE(vigil.time(), 1ms);
  for (int i = 0; i < 100; ++i) vigil.slept(1us);
  EXPECT_LE(vigil.time(), 1ms);
}

}  // namespace
