// SPDX-License-Identifier: Apache-2.0
// When a thread that waits polls: how often, and how that follows from what came of late.
#include "octavo/road/pace.hpp"

#include <gtest/gtest.h>

namespace {

using octavo::road::Pace;

// There from a certain look on.
class Line {
 public:
  explicit Line(int from) : from_(from) {}
  bool operator()() const { return ++polls_ >= from_; }
  [[nodiscard]] int polls() const { return polls_; }

 private:
  int from_;
  mutable int polls_ = 0;
};
constexpr int at_once = 1, after_the_rest = 2, never = 1000;

void learn(Pace& pace, int from, int times) {
  for (int i = 0; i < times; ++i) pace.comes(Line(from));
}

TEST(Pace, PollsAtOnceAfterTheRestAndAsOftenAsItIsTold) {
  Pace pace;
  const Line there(at_once), soon(after_the_rest), last(2 + 7), not_there(never), nor_there(never);
  EXPECT_TRUE(pace.comes(there));
  EXPECT_EQ(there.polls(), 1);
  EXPECT_TRUE(pace.comes(soon));
  EXPECT_EQ(soon.polls(), 2);
  EXPECT_TRUE(pace.comes(last, 7));
  EXPECT_EQ(last.polls(), 9);
  EXPECT_FALSE(pace.comes(not_there, 7));
  EXPECT_EQ(not_there.polls(), 9);
  EXPECT_FALSE(pace.comes(nor_there));
  EXPECT_EQ(nor_there.polls(), 2) << "a thread that rests and then does something else polls no more";
}

TEST(Pace, PollsSoOftenWithoutARest) {
  const Line third(3), not_there(never);
  EXPECT_TRUE(Pace::comes_within(3, third));
  EXPECT_FALSE(Pace::comes_within(5, not_there));
  EXPECT_EQ(not_there.polls(), 5);
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
