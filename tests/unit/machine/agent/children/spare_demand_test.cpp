// SPDX-License-Identifier: Apache-2.0
// How many spares are wanted, and when they may be made: at times that the test says.
#include "machine/agent/children/spare_demand.hpp"

#include <gtest/gtest.h>

namespace octavo::agent {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

class SpareDemandTest : public testing::Test {
 protected:
  void ask(int count, bool had_one = true) {
    for (int each = 0; each < count; ++each) demand.asked(now, had_one);
  }
  SpareDemand demand{seconds(5)};
  SpareDemand::Time now{std::chrono::hours(1)};
};

TEST_F(SpareDemandTest, AsManyAreWantedAsWereAskedForAtOnce) {
  EXPECT_EQ(demand.wanted(now), 0U);
  ask(1);
  now += seconds(1);
  ask(3);
  now += seconds(1);
  ask(2);
  EXPECT_EQ(demand.wanted(now), 3U);
}

TEST_F(SpareDemandTest, ThereIsAMost) {
  ask(1000, false);
  EXPECT_EQ(demand.wanted(now), SpareDemand::most);
}

TEST_F(SpareDemandTest, OneMoreIsWantedWhereTheyWereTooFew) {
  ask(1);
  for (unsigned each = 2; each < 5; ++each) {
    now += milliseconds(100);
    ask(1, false);
    EXPECT_EQ(demand.wanted(now), each);
  }
}

TEST_F(SpareDemandTest, TheyAreForgottenInTime) {
  ask(4);
  now += seconds(4);
  EXPECT_EQ(demand.wanted(now), 4U);
  now += seconds(2);
  ask(1);
  EXPECT_EQ(demand.wanted(now), 4U);
  now += seconds(6);
  EXPECT_EQ(demand.wanted(now), 1U);
  now += seconds(11);
  EXPECT_EQ(demand.wanted(now), 0U);
}

TEST_F(SpareDemandTest, TheyAreMadeWhenWhatWasAskedForHasHadTimeToBegin) {
  ask(1);
  EXPECT_FALSE(demand.is_quiet(now + milliseconds(1)));
  EXPECT_TRUE(demand.is_quiet(now + milliseconds(5)));
  ask(15);
  EXPECT_FALSE(demand.is_quiet(now + milliseconds(15)));
  EXPECT_TRUE(demand.is_quiet(now + milliseconds(20)));
}

}  // namespace
}  // namespace octavo::agent
