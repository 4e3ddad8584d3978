// SPDX-License-Identifier: Apache-2.0
// C-3: the method that runs stands in an event loop of its own, and another thread reads: that of the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "unit/process/cycle/cycling.hpp"

namespace octavo::detail {
namespace {

using testing::HasSubstr;

class LoopTest : public CyclingTest {
 protected:
  LoopTest() {
    std::thread([this] { parts->context.serve_here(); }).join();
    parts->finder.set_loop_waits(waits);
  }
  // Caller's call 8 runs, and its loop awaits a call to the callee while `what(state)` does.
  template <class What>
  void run_loop(What what) {
    run_for(caller, 8, 77, [&] {
      auto state = call(callee);
      waits.begin(state, parts->served.running());
      what(state);
      waits.leave(*state);
    });
  }
  // Of a probe that this peer sends along a call of its own, what the callee hears.
  std::optional<Probe> passed(const Peer& by, const Probe& probe, std::uint64_t call_number) {
    say(by, probe, call_number);
    parts->poller.pump();
    return probe_in(callee.hear());
  }
  // What this process sends on its own, when the time has come.
  std::optional<Probe> sent() {
    time.sleep([] { return false; }, parts->finder.look_beside(road::never));
    parts->finder.look_beside(road::never);
    return probe_in(callee.hear());
  }

  LoopWaits waits{parts->poller.waiters(), [](const std::function<bool()>& done) {
                    while (!done()) std::this_thread::yield();
                  }};
};

TEST_F(LoopTest, C3_AProbeForACallbackGoesOnToWhatTheLoopAwaits) {
  run_loop([&](const auto&) {
    parts->queue(caller, 9, 77, 3);
    const auto heard = passed(caller, probe_of(third.address()), 9);
    ASSERT_TRUE(heard);
    EXPECT_EQ(heard->first, third.address());
    ASSERT_EQ(heard->members.size(), 2U);
    EXPECT_THAT(heard->members[1], HasSubstr("waits for a call of process 3 in an event loop of its method"));
    EXPECT_FALSE(passed(caller, probe_of(third.address()), 9)) << "once a round: else they would multiply";
  });
}

TEST_F(LoopTest, C3_AProbeForTheRunningCallDoesToo) {
  run_loop([&](const auto&) { EXPECT_TRUE(passed(caller, probe_of(third.address()), 8)); });
}

TEST_F(LoopTest, AProbeForACallThatIsNotHereDoesNot) {
  run_loop([&](const auto&) { EXPECT_FALSE(passed(caller, probe_of(third.address()), 10)) << "it was answered"; });
}

TEST_F(LoopTest, AProbeGoesNowhereOnceTheLoopIsLeft) {
  run_loop([&](const auto& state) {
    waits.leave(*state);
    EXPECT_FALSE(passed(caller, probe_of(third.address()), 8));
    EXPECT_EQ(parts->finder.look_beside(road::never), road::never);
  });
}

TEST_F(LoopTest, AProbeGoesNowhereOnceItIsAnswered) {
  run_loop([&](const auto& state) {
    answer(callee, *state);
    parts->poller.pump();
    EXPECT_TRUE(state->ready());
    EXPECT_FALSE(passed(caller, probe_of(third.address()), 8));
  });
}

TEST_F(LoopTest, WhatAnotherMethodAwaitsIsNotLookedAt) {
  run_loop([&](const auto&) { run_for(caller, 9, 77, [&] { EXPECT_FALSE(passed(caller, probe_of(third.address()), 9)); }); });
}

TEST_F(LoopTest, C3_ItsOwnProbeThatComesBackFailsTheCall) {
  run_loop([&](const auto& state) {
    parts->queue(callee, 9, 77, 3);
    const auto probe = sent();
    ASSERT_TRUE(probe);
    EXPECT_EQ(probe->part, state->call);
    EXPECT_FALSE(state->ready());
    auto back = *probe;
    back.members.push_back("Callee waits for Bare1");
    say(callee, back, 9);
    parts->poller.pump();
    ASSERT_TRUE(state->ready());
    try {
      state->take();
      ADD_FAILURE() << "it is in a cycle";
    } catch (const call_cycle& e) {
      EXPECT_THAT(e.what(), HasSubstr("Callee waits for Bare1"));
      EXPECT_THAT(e.what(), HasSubstr("write `async def`"));
    }
  });
}

TEST_F(LoopTest, OneThatComesBackForACallThatIsNotAwaitedAnyMoreDoesNothing) {
  run_loop([&](const auto& state) {
    parts->queue(callee, 9, 77, 3);
    auto back = sent();
    ASSERT_TRUE(back);
    back->part = state->call + 1;
    say(callee, *back, 9);
    parts->poller.pump();
    EXPECT_FALSE(state->ready());
  });
}

}  // namespace
}  // namespace octavo::detail
