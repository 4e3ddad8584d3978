// SPDX-License-Identifier: Apache-2.0
// Calls of a few numbers: their answers are taken from the line, and no message is made.
#include <gtest/gtest.h>

#include "octavo/base/error.hpp"
#include "unit/process/calls/quick_calls.hpp"

namespace octavo::detail {
namespace {

class SmallNumbers : public QuickCalls {};

TEST_F(SmallNumbers, ANumberComesBackFromItsLine) {
  say(next_answer(parts.calls.next_number(), 42));
  EXPECT_EQ(call_small(7), 42);
  EXPECT_EQ(value_of(*peer.hear()), 7);
  EXPECT_EQ(parts.waits, 0);
}

TEST_F(SmallNumbers, ANumberThatComesLaterIsWaitedFor) {
  parts.on_wait = [&] { peer.answer(peer.hear()->header, 42); };
  EXPECT_EQ(call_small(7), 42);
  EXPECT_EQ(parts.waits, 1);
}

TEST_F(SmallNumbers, AnAnswerOfOtherSizeIsAnError) {
  auto answer = next_answer(parts.calls.next_number(), 42);
  answer.size = 2;
  say(answer);
  EXPECT_THROW(call_small(7), error);
}

TEST_F(SmallNumbers, C3_AnAnswerSaysWhetherMoreMayRun) {
  parts.context.serve_here();
  CallContext::Scope running(parts.context, 77);
  running.nothing_else_runs(false);
  say(next_answer(parts.calls.next_number(), 42, wire::flag_more_may_run));
  EXPECT_EQ(call_small(7), 42);
  EXPECT_TRUE(parts.context.may_others_run());
}

TEST_F(SmallNumbers, AnswersToCallsThatWereStartedAreTakenTogether) {
  std::vector<std::shared_ptr<State<int>>> states;
  for (int i = 0; i < 3; ++i) {
    auto& state = states.emplace_back(std::make_shared<State<int>>());
    parts.calls.begin(state, peer.address(), method, bytes_of(i));
    EXPECT_TRUE(state->plain);
    state->plain = i != 1;  // the second wants its reply as a message
  }
  for (std::size_t i = 3; i-- > 0;) say(next_answer(states[i]->call, static_cast<int>(10 + i)));
  say(next_answer(12345, 0));  // nobody waits for it
  EXPECT_TRUE(parts.calls.take_small(peer.link));
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(states[i]->take(), static_cast<int>(10 + i));
  EXPECT_FALSE(parts.calls.take_small(peer.link));
  EXPECT_TRUE(parts.calls.none_waits());
}

TEST_F(SmallNumbers, SmallAnswersAreTakenUpToTheNextOtherFrame) {
  auto state = std::make_shared<State<int>>();
  parts.calls.begin(state, peer.address(), method, bytes_of(1));
  peer.say(frame_of(wire::frame_kind::call, 9));
  say(next_answer(state->call, 42));
  EXPECT_FALSE(parts.calls.take_small(peer.link)) << "R-1: the call came first";
  read();
  EXPECT_EQ(parts.told.back(), "frame 9 of 2");
  EXPECT_EQ(state->take(), 42);
}

}  // namespace
}  // namespace octavo::detail
