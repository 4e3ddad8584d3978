// SPDX-License-Identifier: Apache-2.0
// C-3: probes along calls. One that comes back to its wait ends it; one of another is passed on where what it asks for waits; else nothing is said.
#include "process/cycle/cycle_finder.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/process/cycle/cycling.hpp"

namespace octavo::detail {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class CycleFinderTest : public CyclingTest {
 protected:
  // What `by` hears from now on until the callee answers: the wait for its answer lasts so many rounds of reading. The second
  // one comes when the wait is shown on the status board, before the first probe.
  template <class Look>
  void wait_for_callee(Look look, int rounds = 5) {
    auto state = call(callee);
    meanwhile([this, state, look, rounds, round = 0]() mutable {
      look(*state);
      if (++round == rounds) answer(callee, *state);
    });
    EXPECT_TRUE(parts->finder.wait_for(*state, road::never));
    EXPECT_EQ(state->take(), 1);
  }
  // Whether a probe for this call of `caller` is passed on to the callee, while a method of the caller's call 8 waits for the callee.
  std::vector<Probe> passed(const Probe& probe, std::uint64_t call_number, int times = 1) {
    std::vector<Probe> heard;
    run_for(caller, 8, 77, [&] {
      wait_for_callee([&](const StateBase&) {
        if (times-- > 0) say(caller, probe, call_number);
        while (const auto message = callee.hear())
          if (auto one = probe_in(message); one && one->first == probe.first) heard.push_back(*one);
      });
    });
    return heard;
  }
};

TEST_F(CycleFinderTest, C3_AProbeThatComesBackToItsWaitEndsIt) {
  run_for(caller, 8, 77, [&] {
    auto state = call(callee);
    std::vector<wire::frame_kind> heard;
    meanwhile([&] {
      while (const auto message = callee.hear()) {
        heard.push_back(message->header.kind);
        auto probe = probe_in(message);
        if (!probe) continue;
        EXPECT_EQ(message->header.call, state->call);
        EXPECT_EQ(probe->first, mine.self.address);
        probe->members.emplace_back("the callee waits for you");
        say(caller, *probe, 8);  // it has called the caller, which waits for the method that runs here
      }
    });
    EXPECT_TRUE(parts->finder.wait_for(*state, road::never));
    try {
      (void)state->take();
      FAIL() << "it has no answer";
    } catch (const call_cycle& e) {
      EXPECT_THAT(e.what(), HasSubstr("Bare1 (process 1"));
      EXPECT_THAT(e.what(), HasSubstr("the callee waits for you"));
    }
    EXPECT_TRUE(parts->context.may_others_run()) << "it may be cancelled too late";
    while (const auto message = callee.hear()) heard.push_back(message->header.kind);
    EXPECT_EQ(heard.front(), wire::frame_kind::probe);
    EXPECT_EQ(heard.back(), wire::frame_kind::cancel) << "it is not to run after all";
  });
}

TEST_F(CycleFinderTest, ACallThatIsAnsweredSoonSendsNoProbe) {
  run_for(caller, 8, 77, [&] { wait_for_callee([&](const StateBase&) { EXPECT_FALSE(callee.hear()); }, 1); });
}

TEST_F(CycleFinderTest, ProbesAreSentAgainAsLongAsItWaits) {
  std::vector<std::uint64_t> rounds;
  run_for(caller, 8, 77, [&] {
    wait_for_callee([&](const StateBase&) {
      if (const auto probe = probe_in(callee.hear())) rounds.push_back(probe->round);
    });
  });
  EXPECT_THAT(rounds, ElementsAre(1, 2, 3));
}

TEST_F(CycleFinderTest, AProbeOfAnEarlierWaitSaysNothing) {
  std::optional<Probe> early;
  run_for(caller, 8, 77, [&] {
    wait_for_callee([&](const StateBase&) {
      if (!early) early = probe_in(callee.hear());
    });
    ASSERT_TRUE(early);
    wait_for_callee([&](const StateBase& state) {
      early->part = state.call;
      say(caller, *early, 8);
    });
  });
}

TEST_F(CycleFinderTest, WaitsWithADeadlineEndByThemselves) {
  run_for(caller, 8, 77, [&] {
    auto state = call(callee);
    say(caller, probe_of(third.address()), 8);
    EXPECT_FALSE(parts->finder.wait_for(*state, time.now() + std::chrono::seconds(5)));
    EXPECT_FALSE(callee.hear()) << "no probe is sent, and none passed on";
  });
}

TEST_F(CycleFinderTest, WhoRunsNothingIsInNoCycle) {
  wait_for_callee([&](const StateBase&) {
    say(caller, probe_of(third.address()), 8);
    EXPECT_FALSE(callee.hear());
  });
}

// --- of others ---

TEST_F(CycleFinderTest, C3_AProbeForTheRunningCallIsPassedOnToWhatItWaitsFor) {
  const auto heard = passed(probe_of(third.address()), 8);
  ASSERT_EQ(heard.size(), 1U);
  EXPECT_EQ(heard[0].wait, 3U);
  ASSERT_EQ(heard[0].members.size(), 2U);
  EXPECT_EQ(heard[0].members[0], "First waits for you");
  EXPECT_THAT(heard[0].members[1], HasSubstr("Bare1 (process 1, pid 1001 on bare) waits for a call of process 3"));
}

TEST_F(CycleFinderTest, AProbeIsPassedOnOnceARound) { EXPECT_EQ(passed(probe_of(third.address()), 8, 3).size(), 1U) << "else they would multiply"; }

TEST_F(CycleFinderTest, C3_AProbeForACallThatWaitsItsTurnIsPassedOn) {
  parts->queue(caller, 9, 99, 1);
  EXPECT_EQ(passed(probe_of(third.address()), 9).size(), 1U);
}

TEST_F(CycleFinderTest, C3_AProbeForACallbackIsNot) {
  parts->queue(caller, 9, 77, 3);
  EXPECT_TRUE(passed(probe_of(third.address()), 9).empty()) << "it runs now";
}

TEST_F(CycleFinderTest, AProbeForACallThatIsNotHereIsNot) { EXPECT_TRUE(passed(probe_of(third.address()), 10).empty()) << "it was answered"; }

TEST_F(CycleFinderTest, AProbeThatSomeoneElseOfThatRootMayAnswerIsNot) {
  auto probe = probe_of(third.address());
  probe.alone = true;
  EXPECT_EQ(passed(probe, 8).size(), 1U) << "nothing else of the root runs";
  std::vector<Probe> heard;
  run_for(caller, 8, 77, [&] {
    auto beside = call(third);
    wait_for_callee([&](const StateBase&) {
      say(caller, probe, 8);
      while (const auto message = callee.hear())
        if (auto one = probe_in(message); one && one->first == probe.first) heard.push_back(*one);
    });
  });
  EXPECT_TRUE(heard.empty()) << "another call of that root is not answered yet";
}

TEST_F(CycleFinderTest, AProbeThatIsTooLongIsNot) {
  auto probe = probe_of(third.address());
  probe.members.resize(1000);
  EXPECT_TRUE(passed(probe, 8).empty());
  probe = probe_of(third.address());
  for (std::uint32_t i = 0; i < 4; ++i) probe.choices.push_back({third.address(), 1, i, 0, 2});
  EXPECT_TRUE(passed(probe, 8).empty());
}

// --- waits for several ---

TEST_F(CycleFinderTest, C3_AWaitForAnyIsBlockedWhenAllAre) {
  run_for(caller, 8, 77, [&] {
    auto one = call(callee), two = call(third);
    State<int> any;
    any.need({true, {one, two}});
    std::vector<Probe> back;
    int rounds = 0;
    meanwhile([&] {
      for (const auto* by : {&callee, &third})
        if (auto probe = probe_in(by->hear())) back.push_back(*probe);
      if (back.size() < 2) return;
      ++rounds;
      if (rounds == 1) say(caller, back[0], 8);
      if (rounds == 2) {
        EXPECT_FALSE(one->ready() || two->ready()) << "the other may yet be answered";
        say(caller, back[1], 8);
      }
      if (rounds == 3) any.fail(std::make_exception_ptr(refused("one of them failed")));
    });
    EXPECT_TRUE(parts->finder.wait_for(any, road::never));
    EXPECT_THROW(one->take(), call_cycle);
    EXPECT_THROW(two->take(), call_cycle);
  });
}

TEST_F(CycleFinderTest, C3_OfAWaitForAllOneIsEnough) {
  run_for(caller, 8, 77, [&] {
    auto one = call(callee), two = call(third);
    State<int> all;
    all.need({false, {one, two}});
    one->on_ready([&] { all.fail(std::make_exception_ptr(refused("one of them failed"))); });
    meanwhile([&] {
      if (auto probe = probe_in(callee.hear())) say(caller, *probe, 8);
    });
    EXPECT_TRUE(parts->finder.wait_for(all, road::never));
    EXPECT_THROW(one->take(), call_cycle);
    EXPECT_FALSE(two->ready());
  });
}

// C-12: where the method has returned a future, it is that which waits.
TEST_F(CycleFinderTest, C12_AProbeForACallThatIsAnsweredLaterGoesAlongItsFuture) {
  auto awaited = call(callee);
  auto result = std::make_shared<State<int>>();
  result->need({false, {awaited}});
  parts->finder.unanswered().add(caller.address(), 9, result);
  for (int i = 0; i < 2; ++i) {
    say(caller, probe_of(third.address()), 9);
    while (parts->poller.incoming()) parts->poller.pump();
  }
  const auto probe = probe_in(callee.hear());
  ASSERT_TRUE(probe);
  EXPECT_EQ(probe->members.size(), 2U);
  EXPECT_FALSE(callee.hear()) << "once a round";
  result->fail(std::make_exception_ptr(refused("no")));
  say(caller, probe_of(third.address(), 2), 9);
  while (parts->poller.incoming()) parts->poller.pump();
  EXPECT_FALSE(callee.hear()) << "it is ready";
}

// --- what a reply says ---

TEST_F(CycleFinderTest, C3_AReplySaysWhatOfItsRootMayYetRun) {
  EXPECT_FALSE(parts->finder.others_may_run(77, false));
  EXPECT_TRUE(parts->finder.others_may_run(77, true)) << "it could when its method returned";
  run_for(caller, 8, 77, [&] {
    EXPECT_FALSE(parts->finder.others_may_run(77, true)) << "it runs here: that is known better now";
    auto state = call(callee);
    EXPECT_TRUE(parts->finder.others_may_run(77, false)) << "a call of that root";
    EXPECT_FALSE(parts->finder.others_may_run(78, false));
    parts->context.others_may_run();
    answer(callee, *state);
    while (parts->poller.incoming()) parts->poller.pump();
    EXPECT_TRUE(parts->finder.others_may_run(77, false));
  });
}

}  // namespace
}  // namespace octavo::detail
