// SPDX-License-Identifier: Apache-2.0
// The slots of a pool without a pool: the test says what can be reclaimed.
#include "machine/agent/children/slots.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "octavo/base/error.hpp"

namespace octavo::agent {
namespace {

class SlotsTest : public testing::Test {
 protected:
  std::set<unsigned> in_the_way;
  std::vector<unsigned> reclaimed;
  Slots slots{3, [this](unsigned slot) {
                reclaimed.push_back(slot);
                return !in_the_way.contains(slot);
              }};
};

TEST_F(SlotsTest, EachHasItsOwnAndNoMoreThanThereAre) {
  EXPECT_EQ(slots.take(), 0U);
  EXPECT_EQ(slots.take(), 1U);
  EXPECT_EQ(slots.take(), 2U);
  EXPECT_THROW(slots.take(), refused);
  slots.release(1);
  EXPECT_FALSE(slots.is_taken(1));
  EXPECT_EQ(slots.take(), 1U);
  EXPECT_TRUE(slots.is_taken(1));
}

TEST_F(SlotsTest, ASlotIsCleanedWhenItIsReleasedAndWhenItIsTaken) {
  static_cast<void>(slots.take());
  slots.release(0);
  static_cast<void>(slots.take());
  EXPECT_EQ(reclaimed, (std::vector<unsigned>{0, 0, 0}));
}

TEST_F(SlotsTest, AnUncleanSlotIsGivenWhenItIsClean) {
  static_cast<void>(slots.take());
  in_the_way = {0};
  slots.release(0);
  EXPECT_FALSE(slots.all_clean());
  EXPECT_EQ(slots.take(), 1U);
  slots.clean_again();
  EXPECT_FALSE(slots.all_clean());
  in_the_way.clear();
  slots.clean_again();
  EXPECT_TRUE(slots.all_clean());
  EXPECT_EQ(slots.take(), 0U);
}

TEST_F(SlotsTest, WhatCannotBeCleanedWhenTakenIsLeftOut) {
  in_the_way = {0};
  EXPECT_EQ(slots.take(), 1U);
  EXPECT_FALSE(slots.all_clean());
}

}  // namespace
}  // namespace octavo::agent
