// SPDX-License-Identifier: Apache-2.0
// What the reader gives to its client, in which order, and what becomes of what nobody takes.
#include "process/polling/poller.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "octavo/base/error.hpp"
#include "unit/process/polling/polling.hpp"

namespace octavo::detail {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST_F(PollerTest, R1_FramesAreGivenInTheOrderOfEachConnection) {
  for (std::uint64_t call = 1; call <= 3; ++call) one.say(PollerTest::call(call));
  other.say(call(7));
  pump_all();
  EXPECT_THAT(told, ElementsAre("frame 1 of 2", "frame 2 of 2", "frame 3 of 2", "frame 7 of 3"));
}

TEST_F(PollerTest, R4_WhatADeadPeerHadSentIsGivenBeforeItsDeath) {
  one.say(call(1));
  one.say(call(2));
  machine.kill(one.around);
  pump_all();
  EXPECT_THAT(told, ElementsAre("frame 1 of 2", "frame 2 of 2", "death of 2", "some died"));
}

TEST_F(PollerTest, ADeathThatIsToldWhileItsWordsAreReadComesAfterThem) {
  one.say(call(1));
  one.say(call(2));
  on_take = [&](wire::Message& message) {
    if (message.header.call == 1) machine.kill(one.around);
  };
  pump_all();
  EXPECT_THAT(told, ElementsAre("frame 1 of 2", "frame 2 of 2", "death of 2", "some died"));
}

TEST_F(PollerTest, ADamagedConnectionIsClosedAndTheOthersGoOn) {
  on_take = [&](wire::Message& message) {
    if (message.header.call == 1) throw io_error("that makes no sense");
  };
  one.say(call(1));
  one.say(call(2));
  other.say(call(7));
  pump_all();
  EXPECT_THAT(told, ElementsAre("frame 1 of 2", HasSubstr("damaged 2: the connection with Bare2 (process 2) is closed: that makes no sense"), "frame 7 of 3"));
  EXPECT_TRUE(one.back.connection->lost());
  EXPECT_FALSE(other.back.connection->lost());
}

TEST_F(PollerTest, ADamagedConnectionIsLookedAtAgainByThoseWhoWait) {
  on_take = [](wire::Message&) { throw io_error("that makes no sense"); };
  poller.pump();
  EXPECT_FALSE(poller.something_changed());
  one.say(call(1));
  poller.pump();
  EXPECT_TRUE(poller.something_changed());
}

// --- what nobody takes ---

class PollerPages : public PollerTest {
 protected:
  void say_page(std::uint64_t number) {
    auto out = call(number);
    out.pages.push_back(one.around.pool.allocate(5000));
    one.say(std::move(out));
  }
  [[nodiscard]] bool all_free() const { return mine.pool.free_bytes() == all; }
  const std::int64_t all = mine.pool.free_bytes();
};

TEST_F(PollerPages, OfAMessageThatNobodyTookTheyGoBack) {
  say_page(1);
  EXPECT_FALSE(all_free());
  pump_all();
  EXPECT_TRUE(all_free());
  lies_in_place = true;
  say_page(2);
  pump_all();
  EXPECT_TRUE(all_free()) << "the place stays, its message does not";
}

TEST_F(PollerPages, OfAMessageThatCannotBeUnderstoodTheyGoBack) {
  lies_in_place = true;
  on_take = [](wire::Message&) { throw io_error("that makes no sense"); };
  say_page(1);
  pump_all();
  EXPECT_TRUE(all_free());
}

TEST_F(PollerPages, OfACallThatLiesInItsPlaceTheyStay) {
  lies_in_place = true;
  on_take = [&](wire::Message&) { taken = true; };
  say_page(1);
  pump_all();
  EXPECT_FALSE(all_free());
  EXPECT_EQ(here.pages.size(), 1U);
  here.clear();
  EXPECT_TRUE(all_free());
}

// The damage is found in what comes behind the call that is about to run.
TEST_F(PollerPages, OfACallThatLiesInItsPlaceTheyStayAlsoIfItsConnectionIsDamaged) {
  lies_in_place = true;
  on_take = [&](wire::Message&) {
    taken = true;
    throw io_error("that makes no sense");
  };
  say_page(1);
  poller.pump();
  EXPECT_EQ(here.pages.size(), 1U);
  EXPECT_FALSE(all_free());
}

TEST_F(PollerTest, WhileThePlaceIsTakenNothingMoreIsRead) {
  lies_in_place = true;
  on_take = [&](wire::Message&) { taken = true; };
  one.say(call(1));
  one.say(call(2));
  other.say(call(7));
  for (int i = 0; i < 3; ++i) poller.pump();
  EXPECT_THAT(told, ElementsAre("frame 1 of 2"));
  for (int calls = 2; calls <= 3; ++calls) {
    taken = false;
    here.clear();
    poller.pump();
    EXPECT_EQ(told.size(), static_cast<std::size_t>(calls));
  }
  EXPECT_THAT(told, ElementsAre("frame 1 of 2", "frame 7 of 3", "frame 2 of 2")) << "each connection has its turn";
}

TEST_F(PollerTest, ThePlaceMayBeLeftInEachRound) {
  for (int i = 0; i < 3; ++i) poller.pump();
  EXPECT_EQ(rounds, 3);
}

// --- within ---

TEST_F(PollerTest, WhatAMessageMadeTheClientDoMayReadOn) {
  on_take = [&](wire::Message& message) {
    EXPECT_TRUE(poller.is_pumping());
    if (message.header.call == 1) poller.pump();
  };
  for (std::uint64_t call = 1; call <= 3; ++call) one.say(PollerTest::call(call));
  other.say(call(7));
  pump_all();
  EXPECT_FALSE(poller.is_pumping());
  EXPECT_THAT(told, ElementsAre("frame 1 of 2", "frame 2 of 2", "frame 3 of 2", "frame 7 of 3")) << "each once";
}

TEST_F(PollerTest, TheLinksMayChangeWhileTheyAreRead) {
  pump_all();
  on_take = [&](wire::Message& message) {
    if (message.header.call != 1) return;
    machine.kill(one.around);
    machine.connect(mine, other.around);
    for (int i = 0; i < 3; ++i) poller.pump();
  };
  for (std::uint64_t call = 1; call <= 2; ++call) one.say(PollerTest::call(call));
  other.say(call(7));
  pump_all();
  EXPECT_THAT(told, ElementsAre("frame 1 of 2", "frame 2 of 2", "frame 7 of 3", "death of 2", "some died"));
}

}  // namespace
}  // namespace octavo::detail
