// SPDX-License-Identifier: Apache-2.0
// When a lasting agent ends; the test is the clock.
#include "machine/lasting/retirement.hpp"

#include <gtest/gtest.h>

namespace octavo::agent {
namespace {

using std::chrono::seconds;
using stage = Retirement::stage;

class RetirementTest : public testing::Test {
 protected:
  static Retirement::Time at(int second) { return Retirement::Time(seconds(second)); }
  Retirement retirement{seconds(60), seconds(30), at(0)};
};

TEST_F(RetirementTest, WithoutGuestsItStaysForAWhile) {
  EXPECT_EQ(retirement.look(false, true, at(59)), stage::stays);
  EXPECT_EQ(retirement.look(false, true, at(60)), stage::unused);
  EXPECT_EQ(retirement.look(true, true, at(60)), stage::stays);
  retirement.used(at(50));
  EXPECT_EQ(retirement.look(false, true, at(60)), stage::stays);
}

TEST_F(RetirementTest, ItsObjectsHaveTimeToSaveThemselves) {
  EXPECT_TRUE(retirement.begin(at(10)));
  EXPECT_FALSE(retirement.begin(at(20)));
  EXPECT_EQ(retirement.look(true, true, at(39)), stage::saving);
  EXPECT_EQ(retirement.look(true, true, at(40)), stage::too_late);
  EXPECT_EQ(retirement.look(true, false, at(11)), stage::over);
}

}  // namespace
}  // namespace octavo::agent
