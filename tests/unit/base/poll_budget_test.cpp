// SPDX-License-Identifier: Apache-2.0
// How long a thread polls before it sleeps.
#include "octavo/base/poll_budget.hpp"

#include <gtest/gtest.h>

#include <array>

namespace {

using octavo::PollBudget, octavo::PollLimits;
using next = PollBudget::Spell::next;

constexpr std::array learning{PollBudget::bell, PollBudget::answer, PollBudget::relay};
constexpr std::array fixed{PollBudget::bell_at_once, PollBudget::edge_ring,  PollBudget::spin_lock,   PollBudget::before_sleep,
                           PollBudget::next_call,    PollBudget::edge_lanes, PollBudget::likely_line, PollBudget::lane_room,
                           PollBudget::slice,        PollBudget::block_lock, PollBudget::mutex};

TEST(PollBudget, PollsAtLeastOnceAndNoLongerWhereOthersWantTheCore) {
  for (const auto& each : fixed) {
    EXPECT_GT(each.now(true), 0);
    EXPECT_LE(each.now(true), each.now(false));
    EXPECT_EQ(each.now(false), each.usual);
  }
  PollBudget answer(PollBudget::answer);
  EXPECT_EQ(answer.now(false), PollBudget::answer.usual);
  for (int i = 0; i < 20; ++i) answer.paid();
  EXPECT_LT(answer.now(true), PollBudget::answer.fewest) << "whatever it has learnt";
}

TEST(PollBudget, IsShortWhereNothingComes) {
  for (const auto& limits : learning) {
    PollBudget budget(limits);
    for (int i = 0; i < 20; ++i) budget.paid();
    for (int i = 0; i < 20; ++i) {
      budget.was_in_vain();
      budget.slept(1'000'000'000);
    }
    EXPECT_EQ(budget.now(), limits.fewest) << "who has nothing to do uses no processor";
  }
}

TEST(PollBudget, IsTwiceAsLongWhereItPaidAndHalfAsLongWhereNot) {
  PollBudget budget({.usual = 64, .fewest = 8, .most = 512});
  budget.paid();
  EXPECT_EQ(budget.now(), 128);
  budget.was_in_vain();
  budget.was_in_vain();
  EXPECT_EQ(budget.now(), 32);
}

TEST(PollBudget, IsLongerWhereItWouldHavePaid) {
  for (const auto& limits : {PollBudget::bell, PollBudget::relay}) {
    PollBudget budget(limits);
    budget.was_in_vain();
    const auto before = budget.now();
    budget.slept(limits.nap);
    EXPECT_EQ(budget.now(), before);
    budget.slept(limits.nap - 1);
    EXPECT_EQ(budget.now(), limits.after_a_nap * before);
  }
}

TEST(PollBudget, IsBounded) {
  for (const auto& limits : learning) {
    EXPECT_LE(limits.fewest, limits.usual);
    EXPECT_LE(limits.usual, limits.most);
    PollBudget budget(limits);
    for (int i = 0; i < 100; ++i) budget.paid();
    EXPECT_EQ(budget.now(), limits.most);
    for (int i = 0; i < 100; ++i) budget.slept(1);
    EXPECT_EQ(budget.now(), limits.most);
    for (int i = 0; i < 100; ++i) budget.was_in_vain();
    EXPECT_EQ(budget.now(), limits.fewest);
  }
}

// How many polls of a spell until it ends, where each turn takes so long.
struct Course {
  int pauses = 0, turns = 0;
};
Course course_of(PollBudget::Spell spell, std::uint64_t cycles_of_a_turn) {
  Course course;
  bool oversubscribed = false;
  for (auto what = spell.after_a_poll(oversubscribed); what != next::end; what = spell.after_a_poll(oversubscribed)) {
    if (what == next::pause) ++course.pauses;
    else ++course.turns, oversubscribed = spell.turn_took(cycles_of_a_turn);
  }
  return course;
}

TEST(PollBudgetSpell, LastsAsManyPollsAsItIsTold) {
  const auto course = course_of(PollBudget::Spell(6400), 1);
  EXPECT_EQ(course.pauses + course.turns, 6400);
  EXPECT_EQ(course.turns, 100) << "others of the core get a turn now and then, also where nobody wants it";
  EXPECT_EQ(course_of(PollBudget::Spell(0), 1).pauses, 0);
}

TEST(PollBudgetSpell, IsShorterWhereOthersTookTheirTurns) {
  const auto course = course_of(PollBudget::Spell(6400), 20'000);
  EXPECT_EQ(course.pauses, 63) << "from the first turn that another took on there are only turns";
  EXPECT_LT(course.turns, 6400 / 15);
  EXPECT_GT(course.turns, 6400 / 20);
}

TEST(PollBudgetSpell, EndsWhereOthersCompute) { EXPECT_EQ(course_of(PollBudget::Spell(6400), 3'000'000).turns, 1); }

}  // namespace
