// SPDX-License-Identifier: Apache-2.0
// What probes that are back say of waits for all and for any (src/process/cycle/probe.hpp).
#include "process/cycle/probe.hpp"

#include <gtest/gtest.h>

namespace octavo::detail {
namespace {

Choice choice(std::uint64_t object, std::uint32_t index, std::uint32_t count) { return {{1, 1, object}, 7, 0, index, count}; }
Probe probe(std::uint64_t part, Choices choices, std::string by = "somebody") {
  Probe one;
  one.part = part;
  one.choices = std::move(choices);
  one.members = {std::move(by)};
  return one;
}

TEST(Returned, OneOfAllIsEnough) {
  Returned back;
  back.add(probe(2, {}));
  EXPECT_TRUE(back.blocked(2, {}));
  EXPECT_FALSE(back.blocked(1, {})) << "of that part nothing came back";
}

TEST(Returned, OfAnyEveryOneMustBeBack) {
  auto first = choice(5, 0, 2), second = choice(5, 1, 2);
  Returned back;
  back.add(probe(1, {first}));
  EXPECT_FALSE(back.blocked(1, {first}));
  back.add(probe(2, {second}));
  EXPECT_TRUE(back.blocked(1, {first}));
  EXPECT_TRUE(back.blocked(2, {second}));
}

TEST(Returned, AChoiceOnTheWayCountsForWhoseWayItIs) {
  auto mine = choice(5, 0, 2), other = choice(5, 1, 2);
  auto left = choice(9, 0, 2), right = choice(9, 1, 2);
  Returned back;
  back.add(probe(1, {mine, left}));
  back.add(probe(2, {other}));
  EXPECT_FALSE(back.blocked(2, {other})) << "9 may go on by its other one, and the first of these with it";
  back.add(probe(1, {mine, right}));
  EXPECT_TRUE(back.blocked(1, {mine}));
  EXPECT_TRUE(back.blocked(2, {other}));
}

TEST(Returned, TwoWaysThroughOthersThatChooseAreToldApart) {
  Returned back;  // two parts of a wait for all, each through one that waits for any of two
  back.add(probe(1, {choice(5, 0, 2)}));
  back.add(probe(1, {choice(6, 1, 2)}));
  EXPECT_FALSE(back.blocked(1, {}));
  back.add(probe(1, {choice(6, 0, 2)}));
  EXPECT_TRUE(back.blocked(1, {}));
}

TEST(Returned, NamesEachMemberOnce) {
  Returned back;
  back.add(probe(1, {}, "a"));
  back.add(probe(1, {}, "b"));
  back.add(probe(1, {}, "a"));
  EXPECT_EQ(back.members(), "a, b");
}

TEST(Passed, EachWayOnceARound) {
  Passed passed;
  auto one = probe(1, {});
  Address from{1, 1, 3};
  EXPECT_TRUE(passed.add(one, from));
  EXPECT_FALSE(passed.add(one, from));
  one.choices = {choice(5, 0, 2)};
  EXPECT_TRUE(passed.add(one, from));
  one.round = 1;
  one.for_group_message = true;
  EXPECT_TRUE(passed.add(one, from)) << "another round";
  EXPECT_TRUE(passed.take_askers(one.first, one.wait).empty()) << "by a choice it is not sure";
  one.choices.clear();
  passed.add(one, from);
  EXPECT_EQ(passed.take_askers(one.first, one.wait), std::set<Address>{from});
  EXPECT_TRUE(passed.take_askers(one.first, one.wait).empty()) << "once";
}

}  // namespace
}  // namespace octavo::detail
