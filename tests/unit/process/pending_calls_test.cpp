// SPDX-License-Identifier: Apache-2.0
#include "process/calls/pending_calls.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "machine/board/read.hpp"
#include "octavo/process/detail/state.hpp"

namespace {

using octavo::detail::PendingCall;
using octavo::detail::PendingCalls;

PendingCall call_of(std::uint64_t root) { return {std::make_shared<octavo::detail::State<void>>(), {1, 1, root % 7}, 9, 2, root}; }

// Against a map, with calls that wait long between those that are answered at once.
TEST(PendingCalls, AreFoundByTheirNumbers) {
  std::mt19937 random(5);
  PendingCalls calls;
  std::map<std::uint64_t, std::uint64_t> expected;  // number to root
  std::uint64_t next = 1;
  for (int step = 0; step < 20000; ++step) {
    const std::size_t aim = step / 2500 % 2 == 0 ? 20 : 3000;
    if (expected.size() < aim && random() % 4 != 0) {
      calls.enter(next, call_of(random() % 100));
      expected[next] = calls.find(next)->root;
      ++next;
    } else if (!expected.empty()) {
      auto which = expected.lower_bound(random() % next);
      if (which == expected.end()) which = expected.begin();
      auto taken = calls.take(which->first);
      ASSERT_TRUE(taken);
      ASSERT_NE(taken->state, nullptr);
      ASSERT_EQ(taken->root, which->second);
      ASSERT_FALSE(calls.take(which->first)) << "once";
      ASSERT_EQ(calls.find(which->first), nullptr);
      expected.erase(which);
    }
    ASSERT_EQ(calls.size(), expected.size());
  }
  EXPECT_FALSE(calls.take(next));
  std::size_t seen = 0;
  calls.for_each([&](const PendingCall& each) { seen += each.state != nullptr ? 1 : 0; });
  EXPECT_EQ(seen, expected.size());
}

TEST(PendingCalls, SomeAreTakenTogether) {
  PendingCalls calls;
  for (std::uint64_t i = 1; i <= 2000; ++i) calls.enter(3 * i, call_of(i));
  auto taken = calls.take_those([](const PendingCall& each) { return each.root % 2 == 0; });
  EXPECT_EQ(taken.size(), 1000U);
  EXPECT_EQ(calls.size(), 1000U);
  for (std::uint64_t i = 1; i <= 2000; ++i) EXPECT_EQ(calls.find(3 * i) != nullptr, i % 2 == 1);
}

TEST(PendingCalls, OneIsShownUntilItIsTaken) {
  octavo::StatusBoard board(octavo::StatusBoard::make(octavo::agent_kind::program, {{1, 1, 0}, "the agent", "box", 7, 1}));
  board.enter(3, {{1, 1, 9}, "Counter", "box", 8, 1}, 0, "");
  octavo::OwnRow row(board, 3);
  const auto shown = [&] { return octavo::board::read_row(board.row(3), 1'000'000'000)->waits_for.object; };
  PendingCalls calls;
  for (std::uint64_t number = 1; number < 5; ++number) calls.enter(number, call_of(number));
  const std::chrono::steady_clock::time_point since{};
  calls.show(2, row, since);
  EXPECT_EQ(shown(), 2U);
  calls.show(3, row, since);
  EXPECT_EQ(shown(), 3U);
  ASSERT_TRUE(calls.take(2));
  EXPECT_EQ(shown(), 3U);
  ASSERT_TRUE(calls.take(3));
  EXPECT_EQ(shown(), 0U);
  calls.show(3, row, since);
  EXPECT_EQ(shown(), 0U) << "it was answered before";
  calls.show(4, row, since);
  EXPECT_EQ(shown(), 4U);
  calls.take_those([](const PendingCall& call) { return call.root == 4; });
  EXPECT_EQ(shown(), 0U);
  calls.show(1, row, since);
  calls.show(0, row, since);
  EXPECT_EQ(shown(), 0U);
}

}  // namespace
