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
  EXPECT_EQ(value_of(call(peer.address())), 42);
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
  EXPECT_EQ(value_of(call(peer.address())), 42);
  EXPECT_EQ(parts.waits, 1);
}

TEST_F(QuickCalls, WhatIsAskedMeanwhileIsNotTakenForTheAnswer) {
  auto callback = frame_of(wire::frame_kind::call, next_header().call);
  peer.say(std::move(callback));
  parts.on_wait = [&] { peer.answer(peer.hear()->header, 42); };
  EXPECT_EQ(value_of(call(peer.address())), 42);
  EXPECT_EQ(parts.told.back(), "frame " + std::to_string(parts.calls.next_number() - 1) + " of 2");
}

TEST_F(QuickCalls, C5_ItThrowsWhatTheCallThrew) {
  wire::Outgoing out;
  encode_error(out, std::make_exception_ptr(refused("no")), peer.around.self, "f()");
  out.header = next_header();
  out.header.kind = wire::frame_kind::error;
  peer.say(std::move(out));
  EXPECT_THROW(call(peer.address()), refused);
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
    EXPECT_EQ(value_of(call(peer.address())), 1);
    const auto quick = first;
    EXPECT_EQ(call_small(7), 1);
    const auto small = first;
    auto state = std::make_shared<State<int>>();
    parts.calls.begin(state, peer.address(), method, bytes_of(7));
    EXPECT_TRUE(state->plain) << "it went the short way";
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

// Where the short way is not open, nothing is tried on it: the call goes the usual way, once.
class Closed : public QuickCalls {
 protected:
  void expect_the_usual_way() {
    parts.on_wait = [&] { peer.answer(peer.hear()->header, 42); };
    EXPECT_EQ(value_of(call(peer.address())), 42);
    EXPECT_EQ(call_small(7), 42);
    EXPECT_EQ(parts.waits, 2);
    begin_numbers();
    expect_answer();
  }
  void begin_numbers() {
    state = std::make_shared<State<int>>();
    parts.calls.begin(state, peer.address(), method, bytes_of(7));
    EXPECT_FALSE(state->plain);
  }
  void expect_answer() {
    const auto heard = peer.hear();
    EXPECT_EQ(value_of(*heard), 7);
    EXPECT_EQ(heard->header.call, state->call);
    EXPECT_FALSE(peer.hear()) << "it is sent once";
    peer.answer(heard->header, 42);
    read();
    EXPECT_EQ(state->take(), 42);
    EXPECT_TRUE(parts.calls.none_waits());
  }
  std::shared_ptr<State<int>> state;
};

TEST_F(Closed, ToAnObjectWithANameItMayHaveToBeSentAgain) {
  peer.around.self.address = {1, 0, 50};
  std::tie(peer.link, peer.back) = machine.connect(mine, peer.around);
  read();
  expect_the_usual_way();
}

TEST_F(Closed, TheReaderHasToLookAgainFirst) {
  mine.links.something_changed();
  begin_numbers();
  expect_answer();
}

TEST_F(Closed, BesideAReader) {
  {
    const BriefReading reading(parts.poller.waiters());
    std::thread([&] { begin_numbers(); }).join();
  }
  expect_answer();
}

}  // namespace
}  // namespace octavo::detail
