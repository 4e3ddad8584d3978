// SPDX-License-Identifier: Apache-2.0
// What is taken for a scan: of each thread, even steps.
#include "data/buffered/scans.hpp"

#include <gtest/gtest.h>

namespace {

using octavo::detail::Scan;
using octavo::detail::Scans;

TEST(Scan, StepsAreEvenFromTheSecondOnAndTheSameBlockIsNone) {
  Scan scan(std::this_thread::get_id());
  EXPECT_EQ(scan.looks_for(10), 0);
  EXPECT_EQ(scan.looks_for(13), 0);
  EXPECT_EQ(scan.looks_for(16), 3);
  EXPECT_EQ(scan.looks_for(16), 0);
  EXPECT_EQ(scan.looks_for(19), 3);
  EXPECT_EQ(scan.looks_for(18), 0);
  EXPECT_EQ(scan.looks_for(17), -1);
}

TEST(Scan, WhatLiesTwoEvenStepsBehindIsPast) {
  Scan scan(std::this_thread::get_id());
  EXPECT_EQ(scan.writes(4).before, -1);
  EXPECT_EQ(scan.writes(4).before, -1);
  const auto second = scan.writes(5), third = scan.writes(6), apart = scan.writes(2);
  EXPECT_EQ(second.before, 4);
  EXPECT_EQ(second.two_steps, -1);
  EXPECT_EQ(third.before, 5);
  EXPECT_EQ(third.two_steps, 4);
  EXPECT_EQ(apart.before, 6);
  EXPECT_EQ(apart.two_steps, -1);
}

TEST(Scans, EachThreadHasItsOwn) {
  Scans scans;
  for (std::int64_t i = 0; i < 5; ++i) {
    EXPECT_EQ(scans.of_this_thread().looks_for(i), i < 1 ? 0 : 1) << i;
    if (i == 2) std::thread([&] { EXPECT_EQ(scans.of_this_thread().looks_for(100), 0); }).join();
  }
}

}  // namespace
