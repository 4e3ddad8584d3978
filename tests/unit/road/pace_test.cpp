// SPDX-License-Identifier: Apache-2.0
// When who waits looks: how often, and how that follows from what came of late.
#include "octavo/road/pace.hpp"

#include <gtest/gtest.h>

namespace {

using octavo::road::Pace;

// There from a certain look on.
class Line {
 public:
  explicit Line(int from) : from_(from) {}
  bool operator()() const { return ++looks_ >= from_; }
  [[nodiscard]] int looks() const { return looks_; }

 private:
  int from_;
  mutable int looks_ = 0;
};
constexpr int at_once = 1, after_the_rest = 2, never = 1000;

void learn(Pace& pace, int from, int times) {
  for (int i = 0; i < times; ++i) pace.comes(Line(from));
}

TEST(Pace, LooksAtOnceAfterTheRestAndAsOftenAsItIsTold) {
  Pace pace;
  const Line there(at_once), soon(after_the_rest), last(2 + 7), not_there(never), nor_there(never);
  EXPECT_TRUE(pace.comes(there));
  EXPECT_EQ(there.looks(), 1);
  EXPECT_TRUE(pace.comes(soon));
  EXPECT_EQ(soon.looks(), 2);
  EXPECT_TRUE(pace.comes(last, 7));
  EXPECT_EQ(last.looks(), 9);
  EXPECT_FALSE(pace.comes(not_there, 7));
  EXPECT_EQ(not_there.looks(), 9);
  EXPECT_FALSE(pace.comes(nor_there));
  EXPECT_EQ(nor_there.looks(), 2) << "who rests and then does something else looks no more";
}

TEST(Pace, LooksSoOftenWithoutARest) {
  const Line third(3), not_there(never);
  EXPECT_TRUE(Pace::comes_within(3, third));
  EXPECT_FALSE(Pace::comes_within(5, not_there));
  EXPECT_EQ(not_there.looks(), 5);
}

TEST(Pace, RestsLongerWhereItLookedTooEarlyUpToABound) {
  Pace pace;
  EXPECT_EQ(pace.steps(), 0U);
  learn(pace, never, 20);
  const auto some = pace.steps();
  EXPECT_GT(some, 0U);
  learn(pace, never, 1000);
  EXPECT_GT(pace.steps(), some);
  EXPECT_EQ(pace.steps(), Pace::most_steps);
}

TEST(Pace, RestsALittleShorterEachTimeItWasLongEnough) {
  Pace pace;
  learn(pace, never, 1000);
  learn(pace, after_the_rest, 300);
  const auto less = pace.steps();
  EXPECT_LT(less, Pace::most_steps);
  EXPECT_GT(less, 0U) << "slowly: to look too early costs more";
  learn(pace, after_the_rest, 2000);
  EXPECT_EQ(pace.steps(), 0U);
}

TEST(Pace, DoesNotRestInAStream) {
  Pace pace;
  learn(pace, never, 1000);
  learn(pace, at_once, 20);
  EXPECT_EQ(pace.steps(), 0U);
}

}  // namespace
