// SPDX-License-Identifier: Apache-2.0
// Waits at the Poller: what ends them, and what the reader does meanwhile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "octavo/base/error.hpp"
#include "unit/process/polling/polling.hpp"

namespace octavo::detail {
namespace {

using testing::ElementsAre;

TEST_F(PollerTest, AWaitEndsWithWhatItWaitsForOrAtItsDeadline) {
  EXPECT_FALSE(poller.wait([] { return false; }, road::Clock::now()));
  one.say(call(1));
  EXPECT_TRUE(poller.wait([&] { return !told.empty(); }, road::never));
  EXPECT_TRUE(poller.waiters().nobody_reads());
}

TEST_F(PollerTest, AWaitIsEndedByWhatComes) {
  std::thread says([&] { one.say(call(1)); });
  EXPECT_TRUE(poller.wait([&] { return !told.empty(); }, road::never));
  says.join();
}

TEST_F(PollerTest, WhatTheClientThrowsEndsTheWaitAndLeavesTheRole) {
  on_go_on = [] { throw usage_error("a callback's"); };
  EXPECT_THROW(poller.wait([] { return false; }, road::never), usage_error);
  EXPECT_TRUE(poller.waiters().nobody_reads());
  EXPECT_EQ(poller.depth(), 0U);
  EXPECT_FALSE(poller.is_pumping());
}

TEST_F(PollerTest, TheClientLooksAroundWhenItSaidAndGoesOnWhenItMay) {
  int polls = 0, went_on = 0;
  on_look = [&](road::Deadline) {
    if (++polls == 3) goes_on = true;
    return polls < 3 ? road::Clock::now() : road::never;
  };
  on_go_on = [&] { went_on += goes_on ? 1 : 0; };
  EXPECT_TRUE(poller.wait([&] { return went_on == 1; }, road::never));
  EXPECT_EQ(polls, 3);
}

TEST_F(PollerTest, ItsDepthIsThatOfTheWaitsOnTheStack) {
  std::vector<unsigned> depths;
  on_go_on = [&] {
    depths.push_back(poller.depth());
    if (depths.size() == 1) {
      EXPECT_TRUE(poller.wait([&] { return depths.size() == 2; }, road::never));
    }
  };
  EXPECT_TRUE(poller.wait([&] { return depths.size() == 2; }, road::never));
  EXPECT_THAT(depths, ElementsAre(1U, 2U));
  EXPECT_EQ(poller.depth(), 0U);
}

TEST_F(PollerTest, WhoWaitsBesideTheReaderHearsOfSmallAnswers) {
  pump_all();
  std::atomic<bool> answered{false};
  std::thread waits;
  {
    const BriefReading reading(poller.waiters());
    waits = std::thread([&] { EXPECT_TRUE(poller.wait([&] { return answered.load(); }, road::never)); });
    while (!poller.waiters().any_waits()) std::this_thread::yield();
    answered = small_came = true;
    one.say(call(1));
    poller.pump();
    waits.join();  // woken while this thread still has the role
  }
}

TEST_F(PollerTest, ReadNowReadsUnlessThisOrAnotherThreadReads) {
  one.say(call(1));
  {
    const BriefReading reading(poller.waiters());
    std::thread([&] { poller.read_now(); }).join();
    EXPECT_TRUE(told.empty());
  }
  on_take = [&](wire::Message&) { poller.read_now(); };
  one.say(call(2));
  const int before = rounds;
  poller.read_now();
  EXPECT_EQ(told.size(), 2U);
  EXPECT_EQ(rounds, before + 1) << "not within";
}

}  // namespace
}  // namespace octavo::detail
