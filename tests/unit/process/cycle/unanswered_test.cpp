// SPDX-License-Identifier: Apache-2.0
// The calls whose answers come later, as long as these have not come.
#include "process/cycle/unanswered.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace octavo::detail {
namespace {

const Address one{1, 1, 2}, other{1, 1, 3};

TEST(Unanswered, C12_ACallIsFoundUntilItsResultIsReady) {
  Unanswered calls;
  auto result = std::make_shared<LocalState<int>>();
  calls.add(one, 5, result);
  EXPECT_NE(calls.find(one, 5), nullptr);
  EXPECT_EQ(calls.find(other, 5), nullptr);
  EXPECT_EQ(calls.find(one, 6), nullptr);
  result->set(1);
  EXPECT_EQ(calls.find(one, 5), nullptr);
}

TEST(Unanswered, AResultThatNobodyWaitsForIsNone) {
  Unanswered calls;
  calls.add(one, 5, std::make_shared<LocalState<int>>());
  EXPECT_EQ(calls.find(one, 5), nullptr);
}

TEST(Unanswered, ANumberThatComesAgainIsTheNextCalls) {
  Unanswered calls;
  auto first = std::make_shared<LocalState<int>>(), second = std::make_shared<LocalState<int>>();
  calls.add(one, 5, first);
  Probe probe;
  EXPECT_TRUE(calls.find(one, 5)->passed.add(probe, other));
  calls.add(one, 5, second);
  first->set(1);
  ASSERT_NE(calls.find(one, 5), nullptr);
  EXPECT_TRUE(calls.find(one, 5)->passed.add(probe, other)) << "no probe has been passed on for this one";
}

TEST(Unanswered, ThoseThatWaitStayHoweverManyHaveBeenAnswered) {
  Unanswered calls;
  std::vector<std::shared_ptr<LocalState<int>>> waiting;
  for (std::uint64_t call = 1; call <= 1000; ++call) {
    auto result = std::make_shared<LocalState<int>>();
    calls.add(one, call, result);
    if (call % 10 == 0) waiting.push_back(result);
    else result->set(1);
  }
  for (std::uint64_t call = 1; call <= 1000; ++call) EXPECT_EQ(calls.find(one, call) != nullptr, call % 10 == 0) << call;
}

}  // namespace
}  // namespace octavo::detail
