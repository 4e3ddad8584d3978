// SPDX-License-Identifier: Apache-2.0
// Where a call lies until it runs, and which is next.
#include "process/serve/served_calls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

#include "unit/process/serve/serving.hpp"

namespace octavo::detail {
namespace {

class ServedCallsTest : public PartTest {
 protected:
  // As the reader does: received into its place, if there is one.
  bool come_into_place(std::uint64_t call, std::uint64_t root = 0) {
    auto* place = served.call_buffer();
    if (place == nullptr) return false;
    place->header = frame_of(wire::frame_kind::call, call, root).header;
    served.take(*place, peer.link);
    return true;
  }
  static std::uint64_t number(const std::optional<ArrivedCall>& call) { return call ? call->message.header.call : 0; }
  Serving parts{mine};
  Peer peer{machine, mine}, other{machine, mine};
  ServedCalls& served = parts.served;
};

TEST_F(ServedCallsTest, TheOnlyCallIsReceivedWhereItIsRunFrom) {
  EXPECT_TRUE(served.none());
  ASSERT_TRUE(come_into_place(5));
  EXPECT_TRUE(served.receives_in_place());
  EXPECT_TRUE(served.call_buffer_is_taken());
  EXPECT_FALSE(served.none_queued());
  EXPECT_TRUE(served.is_queued(peer.address(), 5)) << "it has not begun";
  auto* call = served.in_place();
  ASSERT_NE(call, nullptr);
  EXPECT_EQ(call->message.header.call, 5U);
  EXPECT_EQ(call->from.caller(), peer.address());
  EXPECT_EQ(served.in_place(), nullptr) << "once";
  EXPECT_FALSE(served.call_buffer_is_taken());
}

TEST_F(ServedCallsTest, BehindOthersACallHasNoPlace) {
  parts.queue(other, 1);
  EXPECT_EQ(served.call_buffer(), nullptr);
  EXPECT_FALSE(served.receives_in_place());
  EXPECT_EQ(number(served.next()), 1U);
  EXPECT_NE(served.call_buffer(), nullptr);
}

// What lies in the place may still be looked at by the one that runs.
TEST_F(ServedCallsTest, WhileACallRunsThereIsNoPlace) {
  const ServedCalls::Running running(served, peer.address(), 5);
  EXPECT_EQ(served.call_buffer(), nullptr);
  std::thread([&] { EXPECT_EQ(served.call_buffer(), nullptr) << "another thread runs no methods"; }).join();
}

TEST_F(ServedCallsTest, ACallLeavesItsPlaceWhenAMethodWaitsBeforeItsTurnCame) {
  ASSERT_TRUE(come_into_place(5));
  served.leave_call_buffer();
  EXPECT_TRUE(served.call_buffer_is_taken()) << "nothing runs: it is next";
  {
    const ServedCalls::Running running(served, other.address(), 1);
    served.leave_call_buffer();
    EXPECT_FALSE(served.call_buffer_is_taken());
    EXPECT_TRUE(served.is_queued(peer.address(), 5));
    parts.queue(other, 6);
  }
  EXPECT_EQ(served.in_place(), nullptr);
  EXPECT_EQ(number(served.next()), 5U) << "it came first";
  EXPECT_EQ(number(served.next()), 6U);
  EXPECT_FALSE(served.next());
}

TEST_F(ServedCallsTest, C2_CallsAreNextInTheOrderInWhichTheyCame) {
  for (std::uint64_t call = 1; call <= 3; ++call) parts.queue(call == 2 ? other : peer, call);
  for (std::uint64_t call = 1; call <= 3; ++call) {
    auto next = served.next();
    EXPECT_EQ(number(next), call);
    EXPECT_EQ(next->from.caller(), call == 2 ? other.address() : peer.address());
  }
  EXPECT_TRUE(served.none());
}

TEST_F(ServedCallsTest, C3_CallbacksOvertakeOthersButNotTheirSiblings) {
  parts.queue(peer, 1, 99, 1);
  parts.queue(peer, 2, 7, 2);  // a sibling of the one that runs
  parts.queue(other, 3, 7, 3);
  parts.queue(peer, 4, 7, 5);
  EXPECT_FALSE(served.callback_waits()) << "nothing runs";
  const CallContext::Scope scope(parts.context, 7, 2);
  EXPECT_TRUE(served.callback_waits());
  EXPECT_EQ(number(served.next_callback()), 3U);
  EXPECT_EQ(number(served.next_callback()), 4U);
  EXPECT_FALSE(served.callback_waits());
  EXPECT_FALSE(served.next_callback());
  EXPECT_EQ(number(served.next()), 1U);
  EXPECT_EQ(number(served.next()), 2U);
}

TEST_F(ServedCallsTest, C3_WhatEndsTheObjectIsNoCallback) {
  parts.queue(peer, 1, 7, 3, wire::frame_kind::destroy);
  const CallContext::Scope scope(parts.context, 7, 2);
  EXPECT_FALSE(served.next_callback());
}

TEST_F(ServedCallsTest, ACallbackDoesNotWaitItsTurn) {
  parts.queue(peer, 1, 99, 1);
  parts.queue(peer, 2, 7, 3);
  const CallContext::Scope scope(parts.context, 7, 2);
  EXPECT_TRUE(served.waits_its_turn(peer.address(), 1));
  EXPECT_FALSE(served.waits_its_turn(peer.address(), 2));
  EXPECT_FALSE(served.waits_its_turn(peer.address(), 3)) << "there is none";
}

TEST_F(ServedCallsTest, ACallIsTakenBackByItsCallerOnly) {
  parts.queue(peer, 1);
  parts.queue(other, 1);
  parts.queue(peer, 2);
  EXPECT_FALSE(served.take_back(peer.address(), 3));
  auto dropped = served.take_back(other.address(), 1);
  ASSERT_TRUE(dropped);
  EXPECT_EQ(dropped->from.caller(), other.address());
  EXPECT_FALSE(served.take_back(other.address(), 1)) << "once";
  EXPECT_EQ(number(served.next()), 1U);
  EXPECT_EQ(number(served.next()), 2U);
}

TEST_F(ServedCallsTest, ItIsKnownHowManyWaitsWereThereWhenACallBegan) {
  const ServedCalls::Running outer(served, peer.address(), 1);
  EXPECT_EQ(served.depth_of_running(peer.address(), 1), 0U);
  EXPECT_EQ(served.depth_of_running(other.address(), 1), std::nullopt);
  bool looked = false;
  parts.on_go_on = [&] {  // within a wait of the first one's method
    const ServedCalls::Running inner(served, other.address(), 1);
    EXPECT_EQ(served.depth_of_running(other.address(), 1), 1U);
    EXPECT_EQ(served.depth_of_running(peer.address(), 1), 0U);
    looked = true;
  };
  EXPECT_TRUE(parts.poller.wait([&] { return looked; }, road::never));
  EXPECT_EQ(served.depth_of_running(other.address(), 1), std::nullopt) << "it is over";
  EXPECT_FALSE(served.none());
  EXPECT_TRUE(served.none_queued());
}

TEST_F(ServedCallsTest, TheCallerOfASmallCallIsKnownFromItsLink) {
  parts.poller.pump();
  EXPECT_EQ(served.arrives_from(peer.link).from.caller(), peer.address());
  EXPECT_EQ(served.arrives_from(other.link).from.caller(), other.address());
  const auto round = parts.poller.view().round();
  EXPECT_EQ(served.arrives_from(peer.link).from.direct(round), peer.link.connection.get());
  mine.links.something_changed();
  parts.poller.pump();
  EXPECT_EQ(served.arrives_from(peer.link).from.direct(round), nullptr) << "the links may be others by now";
}

}  // namespace
}  // namespace octavo::detail
