// SPDX-License-Identifier: Apache-2.0
// The short way of a small call: what it asks and gives is what the long way does, and whatever is not as usual goes that way.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <thread>

#include "octavo/base/error.hpp"
#include "octavo/process/errors.hpp"
#include "process/calls/made_calls.hpp"
#include "process/error_report.hpp"
#include "unit/process/parts.hpp"

namespace octavo::detail {
namespace {

// The peer answers when the call waits.
class Quick final : public Calling {
 public:
  using Calling::Calling;
  bool wait(StateBase& state, road::Deadline deadline) override {
    ++waits;
    if (on_wait) on_wait();
    return Calling::wait(state, deadline);
  }
  int waits = 0;
  std::function<void()> on_wait;
};

class QuickCalls : public PartTest {
 protected:
  static constexpr std::uint64_t method = 5;

  // A first call and its answer, the long way: from then on small frames of this connection go the short one.
  void SetUp() override {
    auto state = begin();
    first = peer.hear()->header;
    peer.answer(first, 1);
    read();
    ASSERT_EQ(state->take(), 1);
  }
  std::shared_ptr<State<int>> begin() {
    auto state = std::make_shared<State<int>>();
    wire::Outgoing out;
    parts.calls.begin(state, peer.address(), wire::frame_kind::call, method, out);
    return state;
  }
  std::optional<wire::Message> call_quickly(const Address& to) {
    wire::Outgoing out;
    return parts.calls.call_quickly(to, method, out);
  }
  void read() {
    while (parts.poller.incoming()) parts.poller.pump();
  }
  // The answer to the next call, as if the callee had been as quick as that.
  [[nodiscard]] wire::FrameHeader next_header() const {
    auto header = first;
    header.call = parts.calls.next_number();
    return header;
  }
  [[nodiscard]] wire::SmallFrame next_answer(std::uint64_t number, int value, std::uint8_t flags = 0) const {
    wire::SmallFrame answer;
    answer.kind = wire::frame_kind::reply;
    answer.call = number;
    answer.flags = flags;
    answer.root = root_of(mine.self.address, number);
    answer.size = sizeof value;
    std::memcpy(answer.body.data(), &value, sizeof value);
    return answer;
  }
  void say(const wire::SmallFrame& frame) const { ASSERT_EQ(peer.back.connection->send_small(frame), road::sent_now::sent); }
  bool call_small(int argument, int& result) {
    return parts.calls.call_small(peer.address(), method, bytes_of(argument), {reinterpret_cast<std::byte*>(&result), sizeof result});
  }
  static ByteView bytes_of(const int& value) { return {reinterpret_cast<const std::byte*>(&value), sizeof value}; }
  static int value_of(const wire::Message& message) {
    int value = 0;
    EXPECT_EQ(message.body.size(), sizeof value);
    std::memcpy(&value, message.body.span().data(), sizeof value);
    return value;
  }
  // All that the callee sees, but the call's number and what follows from it.
  static void expect_same(const wire::FrameHeader& one, const wire::FrameHeader& other) {
    EXPECT_EQ(one.kind, other.kind);
    EXPECT_EQ(one.flags, other.flags);
    EXPECT_EQ(one.caller, other.caller);
    EXPECT_EQ(one.object, other.object);
    EXPECT_EQ(one.incarnation, other.incarnation);
    EXPECT_EQ(one.method, other.method);
    EXPECT_EQ(one.build, other.build);
  }

  Quick parts{mine};
  Peer peer{machine, mine};
  wire::FrameHeader first;
};

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

// --- of a few numbers ---

TEST_F(QuickCalls, ANumberComesBackFromItsLine) {
  say(next_answer(parts.calls.next_number(), 42));
  int result = 0;
  ASSERT_TRUE(call_small(7, result));
  EXPECT_EQ(result, 42);
  EXPECT_EQ(value_of(*peer.hear()), 7);
  EXPECT_EQ(parts.waits, 0);
}

TEST_F(QuickCalls, ANumberThatComesLaterIsWaitedFor) {
  parts.on_wait = [&] { peer.answer(peer.hear()->header, 42); };
  int result = 0;
  ASSERT_TRUE(call_small(7, result));
  EXPECT_EQ(result, 42);
  EXPECT_EQ(parts.waits, 1);
}

TEST_F(QuickCalls, AnAnswerOfOtherSizeIsAnError) {
  auto answer = next_answer(parts.calls.next_number(), 42);
  answer.size = 2;
  say(answer);
  int result = 0;
  EXPECT_THROW(call_small(7, result), error);
}

TEST_F(QuickCalls, C3_AnAnswerSaysWhetherMoreMayRun) {
  parts.context.serve_here();
  CallContext::Scope running(parts.context, 77);
  running.nothing_else_runs(false);
  say(next_answer(parts.calls.next_number(), 42, wire::flag_more_may_run));
  int result = 0;
  ASSERT_TRUE(call_small(7, result));
  EXPECT_TRUE(parts.context.may_others_run());
}

TEST_F(QuickCalls, AnswersToCallsThatWereStartedAreTakenTogether) {
  std::vector<std::shared_ptr<State<int>>> states;
  for (int i = 0; i < 3; ++i) {
    auto& state = states.emplace_back(std::make_shared<State<int>>());
    state->plain = i != 1;  // the second wants its reply as a message
    ASSERT_TRUE(parts.calls.start_small(state, peer.address(), method, bytes_of(i)));
  }
  for (std::size_t i = 3; i-- > 0;) say(next_answer(states[i]->call, static_cast<int>(10 + i)));
  say(next_answer(12345, 0));  // nobody waits for it
  EXPECT_TRUE(parts.calls.take_small(peer.link));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(states[i]->take(), static_cast<int>(10 + i));
  EXPECT_FALSE(parts.calls.take_small(peer.link));
  EXPECT_TRUE(parts.calls.none_waits());
}

TEST_F(QuickCalls, SmallAnswersAreTakenUpToTheNextOtherFrame) {
  auto state = std::make_shared<State<int>>();
  state->plain = true;
  ASSERT_TRUE(parts.calls.start_small(state, peer.address(), method, bytes_of(1)));
  peer.say(frame_of(wire::frame_kind::call, 9));
  say(next_answer(state->call, 42));
  EXPECT_FALSE(parts.calls.take_small(peer.link)) << "R-1: the call came first";
  read();
  EXPECT_EQ(parts.told.back(), "frame 9 of 2");
  EXPECT_EQ(state->take(), 42);
}

}  // namespace
}  // namespace octavo::detail
