// SPDX-License-Identifier: Apache-2.0
// Coroutines that could go on, but for a method that waits here (is_held_back).
#include <gtest/gtest.h>

#include <algorithm>
#include <coroutine>
#include <deque>
#include <vector>

#include "process/cycle/cycle_finder.hpp"
#include "unit/process/cycle/cycling.hpp"

namespace octavo::detail {
namespace {

class HeldBackTest : public CyclingTest {
 protected:
  // A coroutine of this root answers the caller's call once it is resumed; what it awaits is ready.
  void lie_ready(std::uint64_t call_number, std::uint64_t root) {
    auto& each = coroutines.emplace_back();
    each.awaited->set(1);
    each.result->need({false, {each.awaited}});
    parts->finder.unanswered().add(caller.address(), call_number, each.result);
    parts->executor->post(std::make_unique<Resumption>(std::noop_coroutine(), *each.awaited, parts->executor, root));
  }
  // While a method of root 77 runs that waits, the caller asks along these calls; gives how many of its probes go on along that wait.
  std::ptrdiff_t passed_on(const std::vector<std::uint64_t>& call_numbers, bool alone = false) {
    std::vector<Probe> passed;
    run_for(caller, 8, 77, [&] {
      auto awaited = call(callee);
      meanwhile([&] {
        std::uint64_t round = 0;
        for (const auto number : call_numbers) {
          auto probe = probe_of(third.address(), ++round);
          probe.alone = alone;
          say(caller, probe, number);
        }
        while (parts->poller.incoming()) parts->poller.pump();
        while (const auto message = callee.hear())
          if (const auto probe = probe_in(message)) passed.push_back(*probe);
        awaited->fail(std::make_exception_ptr(refused("enough")));
      });
      EXPECT_TRUE(parts->finder.wait_for(*awaited, road::never));
    });
    return std::count_if(passed.begin(), passed.end(), [&](const Probe& each) { return each.first == third.address(); });
  }

 private:
  struct Coroutine {
    std::shared_ptr<LocalState<int>> awaited = std::make_shared<LocalState<int>>();
    std::shared_ptr<State<int>> result = std::make_shared<State<int>>();
  };
  std::deque<Coroutine> coroutines;
};

TEST_F(HeldBackTest, C3_ACoroutineOfAnotherRootWaitsAsTheMethodThatRunsDoes) {
  lie_ready(9, 88);
  EXPECT_EQ(passed_on({9}), 1);
}

TEST_F(HeldBackTest, C3_ACoroutineOfTheRunningRootGoesOn) {
  lie_ready(9, 77);
  EXPECT_EQ(passed_on({9}), 0);
}

// Nothing is known of what else of its root may run, so it does not count for a group message that only that root can bring.
TEST_F(HeldBackTest, C3_AProbeForALetterOfACollectiveThatHasNotBegunIsNotPassedOn) {
  lie_ready(9, 88);
  EXPECT_EQ(passed_on({9}, true), 0);
}

// It is ready, but the coroutine that awaits it does not lie here: it may be resumed elsewhere, or is about to be.
TEST_F(HeldBackTest, C3_WhatIsAwaitedIsNotEnough) {
  lie_ready(9, 88);
  ASSERT_TRUE(parts->executor->run_one(88));
  EXPECT_EQ(passed_on({9}), 0);
}

}  // namespace
}  // namespace octavo::detail
