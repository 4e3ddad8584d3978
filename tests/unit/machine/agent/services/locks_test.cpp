// SPDX-License-Identifier: Apache-2.0
// The service of locks, without processes: what the LockTable decides reaches whom it concerns.
#include "machine/agent/services/locks.hpp"

#include <gtest/gtest.h>

#include "octavo/base/error.hpp"
#include "unit/machine/agent/fakes.hpp"

namespace octavo::agent {
namespace {

class LocksTest : public testing::Test {
 protected:
  RequesterPtr process(Child& child) { return std::make_shared<fake::Requester>(child.facts.address, &child); }
  unsigned open(lock_kind kind, std::int64_t initial) {
    auto requester = std::make_shared<fake::Requester>(one.facts.address, &one);
    locks.take(requester, control::OpenLock{1, kind, "l", initial});
    return requester->last<control::LockAt>()->number;
  }

  fake::Processes processes;
  Child& one = processes.add({1, 1, 2}, 1);
  Child& two = processes.add({1, 1, 3}, 2);
  Fd memory = LockWords::make();
  Locks locks{processes, memory, [](std::uint64_t) { return true; }};
};

TEST_F(LocksTest, AUnitIsGivenAndGivenOn) {
  const auto number = open(lock_kind::semaphore, 1);
  locks.take(process(one), control::LockRequest{7, {lock_kind::semaphore, number, false, 0}, 1});
  ASSERT_NE(processes.last<control::LockAnswer>(2), nullptr);
  EXPECT_EQ(processes.last<control::LockAnswer>(2)->outcome, lock_outcome::held);
  locks.take(process(two), control::LockRequest{8, {lock_kind::semaphore, number, false, 0}, 1});
  EXPECT_EQ(processes.last<control::LockAnswer>(3), nullptr);
  locks.take(process(one), control::LockRelease{lock_kind::semaphore, number, 1});
  ASSERT_NE(processes.last<control::LockAnswer>(3), nullptr);
  EXPECT_EQ(processes.last<control::LockAnswer>(3)->request, 8U);
}

TEST_F(LocksTest, WhatADeadProcessHeldIsAbandonedToTheNext) {
  const auto number = open(lock_kind::semaphore, 1);
  locks.take(process(one), control::LockRequest{7, {lock_kind::semaphore, number, false, 0}, 1});
  locks.take(process(two), control::LockRequest{8, {lock_kind::semaphore, number, false, 0}, 1});
  processes.all().erase(2);
  locks.process_died(1, 2, {});
  ASSERT_NE(processes.last<control::LockAnswer>(3), nullptr);
  EXPECT_EQ(processes.last<control::LockAnswer>(3)->outcome, lock_outcome::abandoned);
}

TEST_F(LocksTest, AReleaseIsHeardOfADeadProcess) {
  const auto number = open(lock_kind::semaphore, 1);
  locks.take(process(one), control::LockRequest{7, {lock_kind::semaphore, number, false, 0}, 1});
  locks.take(process(two), control::LockRequest{8, {lock_kind::semaphore, number, false, 0}, 1});
  locks.release(one, {lock_kind::semaphore, number, 1});
  ASSERT_NE(processes.last<control::LockAnswer>(3), nullptr);
  EXPECT_EQ(processes.last<control::LockAnswer>(3)->outcome, lock_outcome::held);
}

TEST_F(LocksTest, WhoGivesUpIsTold) {
  const auto number = open(lock_kind::semaphore, 0);
  locks.take(process(one), control::LockRequest{7, {lock_kind::semaphore, number, false, 0}, 1});
  locks.take(process(one), control::LockRecall{7, lock_kind::semaphore, number});
  ASSERT_NE(processes.last<control::LockAnswer>(2), nullptr);
  EXPECT_EQ(processes.last<control::LockAnswer>(2)->outcome, lock_outcome::gave_up);
}

TEST_F(LocksTest, ProcessesOfOtherAgentsHaveOtherLocks) {
  EXPECT_THROW(locks.take(std::make_shared<fake::Requester>(), control::OpenLock{}), usage_error);
  EXPECT_THROW(locks.take(process(one), control::LockAt{}), usage_error);
}

}  // namespace
}  // namespace octavo::agent
