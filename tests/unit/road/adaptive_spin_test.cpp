// SPDX-License-Identifier: Apache-2.0
// How long a relay polls before it sleeps.
#include "road/net/adaptive_spin.hpp"

#include <gtest/gtest.h>

namespace {

using namespace std::chrono_literals;
using octavo::road::net::AdaptiveSpin;

TEST(AdaptiveSpin, IsShortWhereNothingComes) {
  AdaptiveSpin spin;
  for (int i = 0; i < 20; ++i) spin.paid();
  for (int i = 0; i < 20; ++i) {
    spin.was_in_vain();
    spin.slept(1s);
  }
  EXPECT_LE(spin.time(), 2us) << "who has nothing to do uses no processor";
}

TEST(AdaptiveSpin, IsLongerWhereItWouldHavePaid) {
  AdaptiveSpin spin;
  const auto before = spin.time();
  spin.was_in_vain();
  spin.slept(50us);
  EXPECT_GT(spin.time(), before);
}

TEST(AdaptiveSpin, IsBounded) {
  AdaptiveSpin spin;
  for (int i = 0; i < 100; ++i) spin.paid();
  EXPECT_LE(spin.time(), 1ms);
  for (int i = 0; i < 100; ++i) spin.slept(1us);
  EXPECT_LE(spin.time(), 1ms);
}

}  // namespace
