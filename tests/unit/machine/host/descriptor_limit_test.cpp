// SPDX-License-Identifier: Apache-2.0
#include "machine/host/descriptor_limit.hpp"

#include <gtest/gtest.h>

#include "machine/spawn.hpp"
#include "octavo/base/fd.hpp"

namespace octavo {
namespace {

rlimit limit_of(pid_t pid) {
  rlimit found{};
  EXPECT_EQ(::prlimit(pid, RLIMIT_NOFILE, nullptr, &found), 0);
  return found;
}

// The soft limit is 64 of what is allowed, until the end of the test.
class DescriptorLimitTest : public testing::Test {
 protected:
  void SetUp() override {
    if (before.rlim_max < 1024) GTEST_SKIP() << "the hard limit is too low";
    const rlimit low{64, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &low), 0);
  }
  void TearDown() override { ::setrlimit(RLIMIT_NOFILE, &before); }
  const rlimit before = limit_of(0);
  DescriptorLimit& own = DescriptorLimit::own();
};

TEST_F(DescriptorLimitTest, IsRaisedOnlyWhereItGetsShort) {
  own.make_room(31);
  EXPECT_EQ(limit_of(0).rlim_cur, 64U);
  own.make_room(32);
  EXPECT_EQ(limit_of(0).rlim_cur, 256U);
  own.make_room(200);
  EXPECT_EQ(limit_of(0).rlim_cur, 1024U);
  EXPECT_EQ(own.of_children().rlim_cur, 64U) << "children begin with what the program had";
}

TEST_F(DescriptorLimitTest, AChildHasWhatTheProgramHad) {
  own.make_room(63);
  ASSERT_EQ(limit_of(0).rlim_cur, 256U);
  const auto child = spawn::start({"/bin/sleep"}, "100", {}, {});
  EXPECT_EQ(limit_of(child.pid).rlim_cur, 64U);
  spawn::discard(child);
}

TEST_F(DescriptorLimitTest, WhatTheProgramHasSetItselfIsItsChildrens) {
  own.make_room(63);
  const rlimit chosen{100, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &chosen), 0);
  EXPECT_EQ(own.of_children().rlim_cur, 100U);
}

}  // namespace
}  // namespace octavo
