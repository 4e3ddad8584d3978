// SPDX-License-Identifier: Apache-2.0
// The locks of a machine without its processes: who has what, in which order, and what is left when somebody dies or lies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <vector>

#include "octavo/base/error.hpp"
#include "unit/machine/locks/lock_tables.hpp"

namespace octavo {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::UnorderedElementsAre;
using enum lock_kind;
using enum lock_outcome;

TEST_F(LockTables, ANameHasANumberInItsKind) {
  EXPECT_EQ(table.open(mutex, "m", 0), m);
  EXPECT_NE(table.open(mutex, "other", 0), m);
  const auto s = table.open(semaphore, "m", 3);
  EXPECT_EQ(table.open(semaphore, "m", 3), s);
  EXPECT_THROW((void)table.open(semaphore, "m", 4), usage_error);
  EXPECT_THROW((void)table.open(semaphore, "negative", -1), usage_error);
  EXPECT_THROW((void)table.open(mutex, "", 0), usage_error);
  EXPECT_THROW((void)table.open(mutex, std::string(longest_lock_name + 1, 'x'), 0), usage_error);
  EXPECT_THROW((void)table.open(static_cast<lock_kind>(9), "x", 0), usage_error);
}

TEST_F(LockTables, EV1_AnEventWakesAllAndStaysSet) {
  const auto e = table.open(event, "loaded", 0);
  table.request({event, e}, waiter(1, 10));
  table.request({event, e}, waiter(2, 20));
  table.request({event, e}, waiter(3, 30));
  die(2);
  table.give_up(event, e, 3, 30);
  EXPECT_THAT(hear(), ElementsAre(Heard{30, gave_up}));
  table.request({event, e, false, 0, lock_verb::set}, waiter(4, 40));
  EXPECT_THAT(hear(), ElementsAre(Heard{10, held}, Heard{40, told}));
  die(4);
  table.request({event, e}, waiter(1, 11));
  EXPECT_THAT(hear(), ElementsAre(Heard{11, held})) << "who set it may die";
  table.request({event, e, false, 0, lock_verb::clear}, waiter(1, 12));
  table.request({event, e, true}, waiter(1, 13));
  EXPECT_THAT(hear(), ElementsAre(Heard{12, told}, Heard{13, gave_up}));
}

TEST_F(LockTables, ThereAreSoManyNames) {
  for (unsigned i = 1; i < most_locks; ++i) table.open(mutex, "m" + std::to_string(i), 0);
  EXPECT_THROW((void)table.open(mutex, "one more", 0), refused);
  EXPECT_EQ(table.open(mutex, "m", 0), m);
  table.open(semaphore, "of another kind", 0);
}

TEST_F(LockTables, AMutexGoesToWhoCameFirst) {
  ASSERT_TRUE(lock_fast(1, m));
  EXPECT_FALSE(lock_fast(2, m));
  lock(2, 20, m);
  lock(3, 30, m);
  EXPECT_THAT(hear(), IsEmpty());
  EXPECT_FALSE(unlock_fast(1, m)) << "others wait";
  unlock(1, m);
  EXPECT_THAT(hear(), ElementsAre(Heard{20, held}));
  EXPECT_FALSE(lock_fast(1, m)) << "who comes later does not overtake";
  lock(1, 10, m);
  unlock(2, m);
  EXPECT_THAT(hear(), ElementsAre(Heard{30, held}));
  unlock(3, m);
  EXPECT_THAT(hear(), ElementsAre(Heard{10, held}));
  EXPECT_TRUE(unlock_fast(1, m)) << "nobody waits any more";
  EXPECT_TRUE(lock_fast(2, m));
}

TEST_F(LockTables, OneThatBecameFreeMeanwhileIsGivenAtOnce) {
  lock(2, 20, m);
  EXPECT_THAT(hear(), ElementsAre(Heard{20, held}));
  lock(3, 30, m, true);
  EXPECT_THAT(hear(), ElementsAre(Heard{30, gave_up}));
}

TEST_F(LockTables, WhoGivesUpIsPassedOver) {
  ASSERT_TRUE(lock_fast(1, m));
  lock(2, 20, m);
  lock(3, 30, m);
  table.give_up(mutex, m, 2, 20);
  EXPECT_THAT(hear(), ElementsAre(Heard{20, gave_up}));
  unlock(1, m);
  EXPECT_THAT(hear(), ElementsAre(Heard{30, held}));
  table.give_up(mutex, m, 3, 30);
  EXPECT_THAT(hear(), IsEmpty()) << "it is too late: he has it";
  unlock(3, m);
  ASSERT_TRUE(lock_fast(1, m));
  lock(2, 20, m);
  table.give_up(mutex, m, 2, 20);
  hear();
  unlock(1, m);
  EXPECT_TRUE(lock_fast(3, m));
}

TEST_F(LockTables, OfADeadHolderTheNextHearsAndTheOneAfterHasIt) {
  ASSERT_TRUE(lock_fast(1, m));
  lock(2, 20, m);
  lock(3, 30, m);
  die(1);
  EXPECT_THAT(hear(), UnorderedElementsAre(Heard{20, abandoned, 1}, Heard{30, held}));
  unlock(3, m);
  EXPECT_TRUE(lock_fast(2, m));
}

TEST_F(LockTables, OfADeadHolderWhoComesLaterHears) {
  ASSERT_TRUE(lock_fast(1, m));
  die(1);
  EXPECT_FALSE(lock_fast(2, m));
  lock(2, 20, m);
  EXPECT_THAT(hear(), ElementsAre(Heard{20, abandoned, 1}));
  EXPECT_TRUE(lock_fast(3, m)) << "it is free for the next";
}

TEST_F(LockTables, ADeadWaiterIsForgotten) {
  ASSERT_TRUE(lock_fast(1, m));
  lock(2, 20, m);
  lock(3, 30, m);
  die(2);
  unlock(1, m);
  EXPECT_THAT(hear(), ElementsAre(Heard{30, held}));
}

TEST_F(LockTables, WhoLeavesItAndDiesBeforeItCanTellIsNoHolder) {
  ASSERT_TRUE(lock_fast(1, m));
  lock(2, 20, m);
  leave(1, m);
  die(1);
  EXPECT_THAT(hear(), ElementsAre(Heard{20, held}));
}

TEST_F(LockTables, WhoLeftItAndWantsItAgainIsTheLast) {
  ASSERT_TRUE(lock_fast(1, m));
  lock(2, 20, m);
  leave(1, m);
  lock(3, 30, m);
  EXPECT_THAT(hear(), ElementsAre(Heard{20, held}));
  unlock(2, m);
  EXPECT_THAT(hear(), ElementsAre(Heard{30, held}));
  table.release(mutex, m, 1, 1);  // what it said first comes now
  lock(1, 10, m);
  EXPECT_THAT(hear(), IsEmpty());
  unlock(3, m);
  EXPECT_THAT(hear(), ElementsAre(Heard{10, held}));
}

TEST_F(LockTables, UnitsGoToWhoCameFirst) {
  const auto s = table.open(semaphore, "s", 2);
  for (unsigned i = 1; i <= 4; ++i) table.request({semaphore, s}, waiter(i, 10 * i));
  EXPECT_THAT(hear(), ElementsAre(Heard{10, held}, Heard{20, held}));
  table.request({semaphore, s, true}, waiter(5, 50));
  EXPECT_THAT(hear(), ElementsAre(Heard{50, gave_up}));
  table.give_up(semaphore, s, 3, 30);
  EXPECT_THAT(hear(), ElementsAre(Heard{30, gave_up}));
  table.release(semaphore, s, 1, 2);
  EXPECT_THAT(hear(), ElementsAre(Heard{40, held}));
  table.request({semaphore, s, true}, waiter(5, 50));
  EXPECT_THAT(hear(), ElementsAre(Heard{50, held}));
}

TEST_F(LockTables, TheUnitsOfADeadOneComeBack) {
  const auto s = table.open(semaphore, "s", 3);
  for (int i = 0; i < 3; ++i) table.request({semaphore, s}, waiter(1, 10));
  table.release(semaphore, s, 1, 1);
  table.request({semaphore, s}, waiter(2, 20));
  table.request({semaphore, s}, waiter(3, 30));
  table.request({semaphore, s}, waiter(4, 40));
  hear();
  die(1);  // it has two
  EXPECT_THAT(hear(), ElementsAre(Heard{30, abandoned, 1}, Heard{40, held}));
  table.request({semaphore, s}, waiter(3, 31));
  EXPECT_THAT(hear(), ElementsAre(Heard{31, held}));
  table.release(semaphore, s, 5, 1);
  die(5);  // it gave, and took none
  table.request({semaphore, s}, waiter(2, 21));
  EXPECT_THAT(hear(), ElementsAre(Heard{21, held}));
  die(2, true);
  table.request({semaphore, s, true}, waiter(3, 32));
  EXPECT_THAT(hear(), ElementsAre(Heard{32, gave_up})) << "of one that was destroyed they are used up";
}

TEST_F(LockTables, AConditionGivesTheMutexUpAndTakesItAgain) {
  const auto c = table.open(condition, "c", 0);
  EXPECT_THROW(table.request({condition, c, false, m}, waiter(1, 10)), usage_error) << "he has no mutex";
  ASSERT_TRUE(lock_fast(1, m));
  table.request({condition, c, false, m}, waiter(1, 10));
  ASSERT_TRUE(lock_fast(2, m));
  table.request({condition, c, false, m}, waiter(2, 20));
  ASSERT_TRUE(lock_fast(3, m));
  table.release(condition, c, 3, 1);
  EXPECT_THAT(hear(), IsEmpty()) << "the mutex is not free";
  unlock(3, m);
  EXPECT_THAT(hear(), ElementsAre(Heard{10, held}));
  table.give_up(condition, c, 2, 20);
  EXPECT_THAT(hear(), IsEmpty());
  unlock(1, m);
  EXPECT_THAT(hear(), ElementsAre(Heard{20, timed_out}));
  unlock(2, m);
  table.release(condition, c, 3, 1);  // nobody waits
  EXPECT_TRUE(lock_fast(1, m));
}

TEST_F(LockTables, WhatADeadOneWasNotifiedOfGoesToTheNext) {
  const auto c = table.open(condition, "c", 0);
  for (unsigned i = 1; i <= 3; ++i) {
    ASSERT_TRUE(lock_fast(i, m));
    table.request({condition, c, false, m}, waiter(i, 10 * i));
  }
  die(1);  // while it waits
  ASSERT_TRUE(lock_fast(4, m));
  table.release(condition, c, 4, 1);
  die(2);  // while it waits for the mutex
  unlock(4, m);
  EXPECT_THAT(hear(), ElementsAre(Heard{30, held}));
}

TEST_F(LockTables, WhoWasNotifiedHearsOfADeadHolder) {
  const auto c = table.open(condition, "c", 0);
  ASSERT_TRUE(lock_fast(1, m));
  table.request({condition, c, false, m}, waiter(1, 10));
  ASSERT_TRUE(lock_fast(2, m));
  table.release(condition, c, 2, ~std::uint64_t{0});
  die(2);
  EXPECT_THAT(hear(), ElementsAre(Heard{10, abandoned, 2}));
  EXPECT_TRUE(lock_fast(3, m));
}

// A process may write anything to the words and say anything; the others' locks go on.
TEST_F(LockTables, NothingThatAProcessDoesIsBelieved) {
  std::mt19937_64 random(42);
  const auto other = table.open(mutex, "untouched", 0);
  table.open(semaphore, "s", 1);
  table.open(condition, "c", 0);
  for (int i = 0; i < 20'000; ++i) {
    words[m] = (i & 1) != 0 ? random() : random() & 15;
    const auto kind = static_cast<lock_kind>(random() % 4);
    const auto number = static_cast<unsigned>(random() % 4 == 0 ? random() : random() % 2);
    if (kind == mutex && number == other) continue;
    const auto who = waiter(5, random() % 8);
    try {
      switch (random() % 3) {
        case 0: table.request({kind, number, random() % 2 == 0, static_cast<unsigned>(random() % 3)}, who); break;
        case 1: table.release(kind, number, who.object, random()); break;
        default: table.give_up(kind, number, who.object, who.request);
      }
    } catch (const usage_error&) {
    } catch (const refused&) {}
  }
  die(5);
  hear();
  ASSERT_TRUE(lock_fast(1, other));
  lock(2, 20, other);
  unlock(1, other);
  EXPECT_THAT(hear(), ElementsAre(Heard{20, held}));
  words[m] = lock_word::of(77, 1) | lock_word::contended;  // who is that?
  lock(1, 10, m);
  lock(2, 21, m);
  EXPECT_THAT(hear(), UnorderedElementsAre(Heard{10, abandoned}, Heard{21, held}));
}

}  // namespace
}  // namespace octavo
