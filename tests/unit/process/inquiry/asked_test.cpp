// SPDX-License-Identifier: Apache-2.0
// What a callee answers when it is asked after a call.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "unit/process/inquiry/inquiring.hpp"

namespace octavo::detail {
namespace {

class Asked : public InquirerTest {};

TEST_F(Asked, Q1_ACalleeSaysWhatBecameOfACall) {
  EXPECT_EQ(fate_of(peer, 8), call_fate::unknown);
  parts.queue(peer, 8);
  EXPECT_EQ(fate_of(peer, 8), call_fate::queued);
  EXPECT_EQ(fate_of(other, 8), call_fate::unknown) << "the number is each caller's own";
  auto next = parts.served.next();
  {
    const ServedCalls::Running running(parts.served, peer.address(), 8);
    EXPECT_EQ(fate_of(peer, 8), call_fate::running);
  }
  Reply::Impl answered(parts.replies, *next, nullptr);
  const Reply later = Reply(answered).kept();
  EXPECT_EQ(fate_of(peer, 8), call_fate::owed);
  later.plain(nullptr, 0);
  EXPECT_EQ(peer.hear()->header.kind, wire::frame_kind::reply);
  EXPECT_EQ(fate_of(peer, 8), call_fate::unknown) << "R-1: its answer is read before this";
}

// No thread waits for what coroutines and futures wait for.
TEST_F(Asked, TheOldestCallOfOneThatOwesAnAnswerIsShownUntilItIsAnswered) {
  const auto shown = [&] { return mine.board.row(1).beside.object.load(); };
  auto from = parts.arrived(peer, 8);
  auto oldest = call(other), later = call(peer);
  round();
  round();
  EXPECT_EQ(shown(), 0U) << "it owes nothing";
  Reply::Impl answered(parts.replies, from, nullptr);
  const Reply kept = Reply(answered).kept();
  round();
  EXPECT_EQ(shown(), other.address().object);
  {
    OwnRow::Method runs(mine.row, "a", "a");
    round();
    EXPECT_EQ(shown(), 0U) << "whether the method that runs waits for it is not known";
  }
  round();
  EXPECT_EQ(shown(), other.address().object);
  wire::FrameHeader header;
  header.call = oldest->call;
  other.answer(header, 42);
  read();
  EXPECT_EQ(shown(), 0U);
  round();
  EXPECT_EQ(shown(), peer.address().object) << "the next one";
  kept.plain(nullptr, 0);
}

}  // namespace
}  // namespace octavo::detail
