// SPDX-License-Identifier: Apache-2.0
// Which changes of a program a fork can be told of, and for which another fork server is needed.
#include "machine/forking/inherited.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace octavo::forking {
namespace {

using testing::UnorderedElementsAre;

Inherited with(std::vector<std::string> environment) { return {std::move(environment), {1, 2}, 022}; }

TEST(Inherited, VariablesThatAreSetAnewOrGone) {
  const auto changes = changes_for_a_fork(with({"SAME=1", "OTHER=1", "GONE=1"}), with({"NEW=x=y", "OTHER=", "SAME=1"}));
  ASSERT_TRUE(changes);
  EXPECT_THAT(*changes, UnorderedElementsAre("NEW=x=y", "OTHER=", "GONE"));
  EXPECT_EQ(changes_for_a_fork(with({"A=1"}), with({"A=1"})), Changes{});
}

TEST(Inherited, WhatIsReadWhenAProgramStartsNeedsAnother) {
  for (const std::string name : {"LD_PRELOAD", "PYTHONHASHSEED", "OMP_NUM_THREADS", "LANG", "LC_ALL", "TZ"}) {
    EXPECT_FALSE(changes_for_a_fork(with({}), with({name + "=1"}))) << name;
    EXPECT_FALSE(changes_for_a_fork(with({name + "=1"}), with({}))) << name;
  }
  EXPECT_TRUE(changes_for_a_fork(with({}), with({"PYTEST_CURRENT_TEST=1"})));
}

TEST(Inherited, SoDoLimitsTheMaskAndMoreThanAMessageTakes) {
  auto limited = with({}), masked = with({});
  limited.limits = {1, 3};
  masked.mask = 077;
  EXPECT_FALSE(changes_for_a_fork(with({}), limited));
  EXPECT_FALSE(changes_for_a_fork(with({}), masked));
  EXPECT_FALSE(changes_for_a_fork(with({}), with({"LONG=" + std::string(100000, 'x')})));
}

TEST(Inherited, AreAppliedToThisProcess) {
  ::setenv("TEST_GONE", "1", 1);
  apply({"TEST_GONE", "TEST_SET=a=b"});
  EXPECT_EQ(std::getenv("TEST_GONE"), nullptr);
  EXPECT_STREQ(std::getenv("TEST_SET"), "a=b");
  ::unsetenv("TEST_SET");
}

}  // namespace
}  // namespace octavo::forking
