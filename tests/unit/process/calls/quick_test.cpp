// SPDX-License-Identifier: Apache-2.0
// The short way of a small call: what it asks and gives is what the long way does, and whatever is not as usual goes that way.
#include <gtest/gtest.h>

#include <thread>

#include "octavo/base/error.hpp"
#include "octavo/process/errors.hpp"
#include "process/errors/error_report.hpp"
#include "unit/process/calls/quick_calls.hpp"

namespace octavo::detail {
namespace {

TEST_F(QuickCalls, TheAnswerThatIsThereIsTakenAtOnce) {
  peer.answer(next_header(), 42);
  const auto reply = call_quickly(peer.address());
  ASSERT_TRUE(reply);
  EXPECT_EQ(value_of(*reply), 42);
  EXPECT_EQ(parts.waits, 0);
  EXPECT_TRUE(parts.calls.none_waits());
  EXPECT_EQ(peer.hear()->header.call, parts.calls.next_number() - 1);
  EXPECT_TRUE(parts.poller.waiters().nobody_reads());
}

TEST_F(QuickCalls, AnAnswerThatIsNotThereIsWaitedForAsOfEveryCall) {
  parts.on_wait = [&] {
    EXPECT_FALSE(parts.calls.none_waits());
    peer.answer(peer.hear()->header, 42);
  };
  const auto reply = call_quickly(peer.address());
  ASSERT_TRUE(reply);
  EXPECT_EQ(value_of(*reply), 42);
  EXPECT_EQ(parts.waits, 1);
}

TEST_F(QuickCalls, WhatIsAskedMeanwhileIsNotTakenForTheAnswer) {
  auto callback = frame_of(wire::frame_kind::call, next_header().call);
  peer.say(std::move(callback));
  parts.on_wait = [&] { peer.answer(peer.hear()->header, 42); };
  EXPECT_EQ(value_of(*call_quickly(peer.address())), 42);
  EXPECT_EQ(parts.told.back(), "frame " + std::to_string(parts.calls.next_number() - 1) + " of 2");
}

TEST_F(QuickCalls, C5_ItThrowsWhatTheCallThrew) {
  wire::Outgoing out;
  encode_error(out, std::make_exception_ptr(refused("no")), peer.around.self, "f()");
  out.header = next_header();
  out.header.kind = wire::frame_kind::error;
  peer.say(std::move(out));
  EXPECT_THROW(call_quickly(peer.address()), refused);
  EXPECT_TRUE(parts.calls.none_waits());
}

// C-2, C-3: else the callee would order, and let overtake, by the way they came.
TEST_F(QuickCalls, C3_EachWayHasTheSameHeader) {
  parts.context.serve_here();
  std::optional<CallContext::Scope> running;
  for (const bool within : {false, true}) {
    if (within) running.emplace(parts.context, 77, 3);
    parts.on_wait = [&] {
      const auto header = peer.hear()->header;
      peer.answer(header, 1);
      first = header;
    };
    ASSERT_TRUE(call_quickly(peer.address()));
    const auto quick = first;
    int result = 0;
    ASSERT_TRUE(call_small(7, result));
    const auto small = first;
    auto state = std::make_shared<State<int>>();
    ASSERT_TRUE(parts.calls.start_small(state, peer.address(), method, bytes_of(7)));
    const auto started = peer.hear()->header;
    mine.links.something_changed();  // the reader has to look again before anything goes the short way
    auto long_way = begin();
    const auto usual = peer.hear()->header;
    read();
    for (const auto& each : {quick, small, started}) {
      expect_same(each, usual);
      EXPECT_EQ(each.root, within ? 77U : root_of(mine.self.address, each.call));
    }
    EXPECT_EQ(usual.root, within ? 77U : root_of(mine.self.address, usual.call));
    EXPECT_EQ(usual.flags, within ? 4 : 1);
  }
}

TEST_F(QuickCalls, BesideAReaderNothingIsSent) {
  const BriefReading reading(parts.poller.waiters());
  std::thread([&] {
    int result = 0;
    EXPECT_FALSE(call_quickly(peer.address()));
    EXPECT_FALSE(call_small(7, result));
    EXPECT_FALSE(parts.calls.start_small(std::make_shared<State<int>>(), peer.address(), method, bytes_of(7)));
  }).join();
  EXPECT_FALSE(peer.hear());
}

TEST_F(QuickCalls, ToAnObjectWithANameNothingGoesThisWay) {
  peer.around.self.address = {1, 0, 50};
  machine.connect(mine, peer.around);
  read();
  int result = 0;
  EXPECT_FALSE(call_quickly(peer.address())) << "it may have to be sent again, to the next life";
  EXPECT_FALSE(parts.calls.call_small(peer.address(), method, bytes_of(7), {reinterpret_cast<std::byte*>(&result), sizeof result}));
  EXPECT_FALSE(parts.calls.start_small(std::make_shared<State<int>>(), peer.address(), method, bytes_of(7)));
}

}  // namespace
}  // namespace octavo::detail
