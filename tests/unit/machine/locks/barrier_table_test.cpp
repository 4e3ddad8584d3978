// SPDX-License-Identifier: Apache-2.0
// BR-1 to BR-4 of the barriers of a machine, without its processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "octavo/base/error.hpp"
#include "unit/machine/locks/lock_tables.hpp"

namespace octavo {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using enum lock_kind;
using enum lock_outcome;

class BarrierTables : public LockTables {};

TEST_F(BarrierTables, BR1_TheLastToComeLetsAllGo) {
  const auto b = table.open(barrier, "rows", 2);
  EXPECT_THROW((void)table.open(barrier, "rows", 3), usage_error);
  EXPECT_THROW((void)table.open(barrier, "none", 0), usage_error);
  for (const std::uint64_t round : {10u, 20u}) {
    table.request({barrier, b}, waiter(1, round));
    EXPECT_THAT(hear(), IsEmpty());
    table.request({barrier, b}, waiter(2, round + 1));
    EXPECT_THAT(hear(), ElementsAre(Heard{round, passed}, Heard{round + 1, passed}));
  }
}

TEST_F(BarrierTables, BR2_ABarrierBreaksByADeathAndByGivingUp) {
  const auto b = table.open(barrier, "rows", 3);
  table.request({barrier, b}, waiter(1, 10));
  table.request({barrier, b}, waiter(2, 20));
  die(1);
  EXPECT_THAT(hear(), ElementsAre(Heard{20, broken, 1}));
  table.request({barrier, b}, waiter(3, 30));
  EXPECT_THAT(hear(), ElementsAre(Heard{30, broken, 1})) << "it stays so";
  table.request({barrier, b, false, 0, lock_verb::clear}, waiter(2, 21));
  EXPECT_THAT(hear(), ElementsAre(Heard{21, told}));
  table.request({barrier, b}, waiter(2, 22));
  table.request({barrier, b}, waiter(3, 31));
  table.give_up(barrier, b, 2, 22);
  EXPECT_THAT(hear(), ElementsAre(Heard{22, gave_up}, Heard{31, broken}));
  table.give_up(barrier, b, 2, 22);
  EXPECT_THAT(hear(), IsEmpty());
}

TEST_F(BarrierTables, BR3_ABarrierBreaksByADeathBetweenTwoRoundsAndBeforeTheFirst) {
  const auto b = table.open(barrier, "rows", 2, 1);
  for (const std::uint64_t object : {2u, 3u, 4u}) table.open(barrier, "rows", 2, object);
  table.request({barrier, b}, waiter(1, 10));
  table.request({barrier, b}, waiter(2, 20));
  EXPECT_THAT(hear(), ElementsAre(Heard{10, passed}, Heard{20, passed}));
  table.request({barrier, b}, waiter(1, 11));
  die(2);
  EXPECT_THAT(hear(), ElementsAre(Heard{11, broken, 2})) << "who waited already is told";
  table.request({barrier, b}, waiter(1, 12));
  EXPECT_THAT(hear(), ElementsAre(Heard{12, broken, 2})) << "and who comes";
  table.request({barrier, b, false, 0, lock_verb::clear}, waiter(1, 13));
  die(3);
  table.request({barrier, b}, waiter(1, 14));
  EXPECT_THAT(hear(), ElementsAre(Heard{13, told}, Heard{14, broken, 3})) << "it had it, and never came";
  table.request({barrier, b, false, 0, lock_verb::clear}, waiter(1, 15));
  die(4, true);
  die(5);
  table.request({barrier, b}, waiter(1, 16));
  EXPECT_THAT(hear(), ElementsAre(Heard{15, told})) << "one that was destroyed in order, and one that never had it";
}

TEST_F(BarrierTables, BR4_TheLastWithAnActionDoesItBeforeAnybodyGoesOn) {
  const auto b = table.open(barrier, "rows", 3);
  const auto come = [&](unsigned object, std::uint64_t request, lock_verb verb) { table.request({barrier, b, false, 0, verb}, waiter(object, request)); };
  come(1, 10, lock_verb::act);
  come(2, 20, lock_verb::act);
  come(3, 30, lock_verb::take);
  EXPECT_THAT(hear(), ElementsAre(Heard{20, told}));
  for (const unsigned object : {4u, 5u, 1u}) come(object, 40 + object, lock_verb::take);  // of the next round
  EXPECT_THAT(hear(), IsEmpty());
  table.give_up(barrier, b, 2, 20);
  EXPECT_THAT(hear(), IsEmpty()) << "it was told before it was out of time";
  come(3, 31, lock_verb::done);
  EXPECT_THAT(hear(), ElementsAre(Heard{31, broken})) << "it was not to";
  come(2, 21, lock_verb::done);
  EXPECT_THAT(hear(), ElementsAre(Heard{10, passed}, Heard{21, passed}, Heard{30, passed}, Heard{44, passed}, Heard{45, passed}, Heard{41, passed}));
}

TEST_F(BarrierTables, BR4_WhoDiesOrGivesUpMeanwhileBreaksIt) {
  const auto b = table.open(barrier, "rows", 2);
  const auto come = [&](unsigned object, std::uint64_t request, lock_verb verb) { table.request({barrier, b, false, 0, verb}, waiter(object, request)); };
  come(1, 10, lock_verb::take);
  come(2, 20, lock_verb::act);
  die(2);
  EXPECT_THAT(hear(), ElementsAre(Heard{20, told}, Heard{10, broken, 2}));
  come(1, 11, lock_verb::clear);
  come(1, 12, lock_verb::act);
  come(3, 30, lock_verb::take);
  die(3);
  EXPECT_THAT(hear(), ElementsAre(Heard{11, told}, Heard{12, told}));
  come(1, 13, lock_verb::done);
  EXPECT_THAT(hear(), ElementsAre(Heard{13, broken, 3}));
  come(1, 14, lock_verb::clear);
  come(1, 15, lock_verb::take);
  come(4, 40, lock_verb::act);
  come(4, 41, lock_verb::set);
  EXPECT_THAT(hear(), ElementsAre(Heard{14, told}, Heard{40, told}, Heard{15, broken}, Heard{41, told})) << "its action failed";
}

}  // namespace
}  // namespace octavo
