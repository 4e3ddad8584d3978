// SPDX-License-Identifier: Apache-2.0
// Each call that was entered is answered once: by its reply, by the death of its callee, or by the end of the endpoint.
#include "process/calls/made_calls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "octavo/base/error.hpp"
#include "octavo/process/errors.hpp"
#include "process/errors/error_report.hpp"
#include "unit/process/calls/calling.hpp"

namespace octavo::detail {
namespace {

using testing::HasSubstr;

TEST_F(MadeCallsTest, C1_AReplyCompletesTheCall) {
  auto state = begin(peer.address());
  EXPECT_FALSE(state->ready());
  EXPECT_FALSE(parts.calls.none_waits());
  EXPECT_TRUE(parts.calls.name_of(state->call));
  EXPECT_EQ(state->callee, peer.address());
  const auto asked = peer.hear();
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->header.kind, wire::frame_kind::call);
  EXPECT_EQ(asked->header.call, state->call);
  EXPECT_EQ(asked->header.method, 5U);
  peer.answer(asked->header, 42);
  read();
  ASSERT_TRUE(state->ready());
  EXPECT_EQ(state->take(), 42);
  EXPECT_TRUE(parts.calls.none_waits());
}

TEST_F(MadeCallsTest, RepliesMayComeInAnyOrderAndOnce) {
  auto first = begin(peer.address()), second = begin(peer.address());
  const auto one = peer.hear(), two = peer.hear();
  peer.answer(two->header, 2);
  peer.answer(two->header, 3);
  read();
  EXPECT_FALSE(first->ready());
  EXPECT_EQ(second->take(), 2);
  peer.answer(one->header, 1);
  read();
  EXPECT_EQ(first->take(), 1);
}

TEST_F(MadeCallsTest, C5_AnErrorCompletesTheCallToo) {
  auto state = begin(peer.address());
  auto asked = peer.hear();
  wire::Outgoing out;
  encode_error(out, std::make_exception_ptr(refused("not today")), peer.around.self, "f()");
  out.header = asked->header;
  out.header.kind = wire::frame_kind::error;
  peer.say(std::move(out));
  read();
  EXPECT_THROW(state->take(), refused);
}

// --- what else ends a call ---

TEST_F(MadeCallsTest, C6_ADeathFailsTheCallsToTheDeadAndNoOthers) {
  auto lost = begin(peer.address()), lost_too = begin(peer.address()), left = begin(other.address());
  died(peer.address(), peer.around.self.pid);
  EXPECT_THROW(lost->take(), process_died);
  EXPECT_THROW(lost_too->take(), process_died);
  EXPECT_FALSE(left->ready());
  EXPECT_TRUE(parts.calls.name_of(left->call));
  peer.answer(peer.hear()->header, 1);
  read();  // an answer that comes after all is nobody's
}

TEST_F(MadeCallsTest, C6_OfAnObjectWithANameOnlyTheCallsOfThatLifeFail) {
  for (auto* life : {&peer, &other}) {
    life->around.self.address = {1, 0, 50};
    machine.connect(mine, life->around);
  }
  auto first = begin({1, 0, 50});
  for (const auto& [pid, call] : parts.calls.look([](const PendingCalls& pending) {
         std::map<std::int64_t, std::uint64_t> lives;
         pending.for_each([&](const PendingCall& each) { lives[each.life] = each.state->call; });
         return lives;
       }))
    EXPECT_EQ(pid, peer.around.self.pid);
  mine.links.link_if_there({1, 0, 50}, peer.around.self.pid)->connection->close();
  auto second = begin({1, 0, 50});  // its first life is gone: it has another by now
  died({1, 0, 50}, peer.around.self.pid);
  EXPECT_THROW(first->take(), process_died);
  EXPECT_FALSE(second->ready());
  died({1, 0, 50}, other.around.self.pid);
  EXPECT_THROW(second->take(), process_died);
}

TEST_F(MadeCallsTest, ACallToTheDeadIsNotEntered) {
  machine.kill(peer.around);
  auto state = std::make_shared<State<int>>();
  begin(state, peer.address());
  EXPECT_THROW(state->take(), process_died);
  EXPECT_TRUE(parts.calls.none_waits());
}

TEST_F(MadeCallsTest, ACallWhoseConnectionEndsIsNotLeftEntered) {
  peer.back.connection->close();
  mine.links.lose_agent();
  const auto all = mine.pool.free_bytes();
  wire::Outgoing out;
  out.pages.push_back(mine.pool.allocate(5000));
  out.owner.keeper = &mine.pool;
  auto state = std::make_shared<State<int>>();
  parts.calls.begin(state, peer.address(), wire::frame_kind::call, 5, out);
  EXPECT_THROW(state->take(), gone_error);
  EXPECT_TRUE(parts.calls.none_waits());
  EXPECT_EQ(mine.pool.free_bytes(), all);
}

TEST_F(MadeCallsTest, TheEndFailsWhatWaitsAndLogsErrorsThatNobodySaw) {
  auto state = begin(peer.address());
  parts.calls.keep_lost_error(peer.address(), std::make_exception_ptr(refused("not today")));
  parts.calls.keep_lost_error(other.address(), std::make_exception_ptr(refused("taken")));
  parts.calls.keep_lost_error(other.address(), std::make_exception_ptr(refused("another of that object")));
  EXPECT_THAT(text_of(parts.calls.take_lost_error(other.address())), HasSubstr("taken"));
  EXPECT_EQ(parts.calls.take_lost_error(other.address()), nullptr) << "the first, and no other";
  testing::internal::CaptureStderr();
  parts.calls.end();
  const auto log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("a call to process 2 failed and nobody looked: not today"));
  EXPECT_THAT(log, Not(HasSubstr("taken")));
  EXPECT_THROW(state->take(), gone_error);
  EXPECT_TRUE(parts.calls.none_waits());
}

TEST_F(MadeCallsTest, C11_ACallThatIsBegunAfterTheEndFailsAsThoseThatWaited) {
  auto before = begin(peer.address());
  parts.calls.end();
  const auto all = mine.pool.free_bytes();
  auto after = std::make_shared<State<int>>();
  {
    wire::Outgoing out;
    out.pages.push_back(mine.pool.allocate(5000));
    out.owner.keeper = &mine.pool;
    parts.calls.begin(after, peer.address(), wire::frame_kind::call, 5, out);
  }
  EXPECT_EQ(mine.pool.free_bytes(), all) << "its pages stay here";
  for (const auto& state : {before, after}) {
    ASSERT_TRUE(state->ready());
    try {
      state->take();
      ADD_FAILURE() << "nobody has answered";
    } catch (const gone_error& e) {
      EXPECT_THAT(e.what(), HasSubstr("the Runtime ended before process 2 had answered"));
    }
  }
  EXPECT_EQ(after->callee, peer.address());
  EXPECT_TRUE(parts.calls.none_waits());
  EXPECT_EQ(peer.calls_heard(), std::vector{before->call}) << "it is not sent";
}

TEST_F(MadeCallsTest, C11_TheShortWaysAreClosedAfterTheEnd) {
  parts.poller.pump();
  parts.calls.end();
  wire::Outgoing out;
  EXPECT_THROW(parts.calls.begin_quickly(peer.address(), 5, out).begun->take_reply(), gone_error);
  EXPECT_THROW(parts.calls.call(peer.address(), 5, {}, {}), gone_error);
  auto state = std::make_shared<State<int>>();
  parts.calls.begin(state, peer.address(), 5, {});
  EXPECT_THROW(state->take(), gone_error);
  EXPECT_FALSE(peer.hear());
}

// --- taking back ---

TEST_F(MadeCallsTest, CancelAsksForTheCallAndGivesWhatTheCalleeSays) {
  auto state = begin(peer.address());
  const auto call = peer.hear();
  for (const bool taken_back : {true, false}) {
    parts.on_go_on = [&] {
      const auto asked = peer.hear();
      if (!asked) return;
      EXPECT_EQ(asked->header.kind, wire::frame_kind::cancel);
      EXPECT_EQ(asked->header.root, call->header.call);
      peer.answer(asked->header, taken_back);
    };
    EXPECT_EQ(parts.calls.cancel(*state), taken_back);
  }
}

TEST_F(MadeCallsTest, WhatIsNoCallOrWasAnsweredIsNotAskedFor) {
  State<int> promise;
  EXPECT_FALSE(parts.calls.cancel(promise));
  auto state = begin(peer.address());
  peer.answer(peer.hear()->header, 1);
  read();
  EXPECT_FALSE(parts.calls.cancel(*state));
  EXPECT_FALSE(peer.hear());
}

}  // namespace
}  // namespace octavo::detail
