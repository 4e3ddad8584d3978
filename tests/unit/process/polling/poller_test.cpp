// SPDX-License-Identifier: Apache-2.0
// What the reader gives to its client, in which order, and what becomes of what nobody takes.
#include "process/polling/poller.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "octavo/base/error.hpp"
#include "unit/process/parts.hpp"

namespace octavo::detail {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class PollerTest : public PartTest, protected FakeClient {
 protected:
  [[nodiscard]] wire::Message* place() override { return lies_in_place ? &here : nullptr; }
  [[nodiscard]] bool place_is_taken() const override { return taken; }
  void leave_place() override { ++rounds; }
  bool take_small(const PeerLink& /*from*/) override { return std::exchange(small_came, false); }
  void take(wire::Message& message, const PeerLink& from) override {
    FakeClient::take(message, from);
    if (on_take) on_take(message);
  }
  void something_changed(bool some_died) override {
    if (some_died) FakeClient::something_changed(some_died);
  }
  void died(const Obituary& death) override {
    FakeClient::died(death);
    EXPECT_FALSE(mine.links.link_if_there(death.facts.address, death.facts.pid)) << "a call that is entered now is to find that it is forgotten";
  }
  void go_on() override {
    if (on_go_on) on_go_on();
  }
  [[nodiscard]] bool may_go_on() const override { return goes_on; }
  road::Deadline look_around(road::Deadline deadline) override { return on_look ? on_look(deadline) : deadline; }

  void pump_all() {
    while (poller.incoming()) poller.pump();
  }
  static wire::Outgoing call(std::uint64_t number) { return frame_of(wire::frame_kind::call, number); }

  wire::Message here;
  bool lies_in_place = false, taken = false, goes_on = false, small_came = false;
  int rounds = 0;
  std::function<void(wire::Message&)> on_take;
  std::function<void()> on_go_on;
  std::function<road::Deadline(road::Deadline)> on_look;
  Poller poller{mine.around(), *this};
  Peer one{machine, mine}, other{machine, mine};
};

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

// --- waiting ---

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
  int looks = 0, went_on = 0;
  on_look = [&](road::Deadline) {
    if (++looks == 3) goes_on = true;
    return looks < 3 ? road::Clock::now() : road::never;
  };
  on_go_on = [&] { went_on += goes_on ? 1 : 0; };
  EXPECT_TRUE(poller.wait([&] { return went_on == 1; }, road::never));
  EXPECT_EQ(looks, 3);
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
