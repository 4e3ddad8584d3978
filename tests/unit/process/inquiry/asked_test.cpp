// SPDX-License-Identifier: Apache-2.0
// What a callee answers when it is asked after a call, and what the caller makes of one that stands still.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "octavo/process/errors.hpp"
#include "unit/process/inquiry/inquiring.hpp"

namespace octavo::detail {
namespace {

using testing::HasSubstr;

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

class Still : public InquirerTest {
 protected:
  Still() {  // this thread is the one of methods, and all others of this program work for it only
    inquirer.stillness().serves_here();
    inquirer.stillness().threads_only_serve();
  }
  void be_still(int rounds) {
    for (int i = 0; i <= rounds; ++i) round();
  }
};

TEST_F(Still, Q4_ACalleeThatStandsStillSaysSoOfWhatItOwes) {
  auto from = parts.arrived(peer, 8);
  Reply::Impl answered(parts.replies, from, nullptr);
  const Reply later = Reply(answered).kept();
  EXPECT_EQ(fate_of(peer, 8), call_fate::owed);
  be_still(3);
  EXPECT_GT(inquirer.stillness().rounds(), 0U);
  EXPECT_EQ(fate_of(peer, 8), call_fate::stalled);
  parts.queue(other, 9);
  EXPECT_EQ(fate_of(peer, 8), call_fate::owed) << "that call may bring the answer";
  (void)parts.served.next();
  auto awaited = call(other);
  EXPECT_EQ(fate_of(peer, 8), call_fate::owed) << "it waits for an answer itself";
  later.plain(nullptr, 0);
}

TEST_F(Still, WorkOutsideOrThatMayGoOnIsNoStillness) {
  be_still(3);
  EXPECT_GT(inquirer.stillness().rounds(), 0U);
  inquirer.stillness().outside()->fetch_add(1);
  round();
  EXPECT_EQ(inquirer.stillness().rounds(), 0U);
  inquirer.stillness().outside()->fetch_sub(1);
  be_still(3);
  EXPECT_GT(inquirer.stillness().rounds(), 0U);
  mine.row.call_begins();
  round();
  EXPECT_EQ(inquirer.stillness().rounds(), 0U) << "something was done since";
  inquirer.round();
  inquirer.round();
  EXPECT_EQ(inquirer.stillness().rounds(), 0U) << "its reader has not looked since";
}

TEST_F(Asked, Q4_ThatACalleeStandsStillIsLoggedOnceAndNothingFails) {
  auto state = call(peer);
  round();
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) hear_of(*state, call_fate::stalled);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "") << "four times in a row";
  testing::internal::CaptureStderr();
  for (int i = 0; i < 3; ++i) hear_of(*state, call_fate::stalled);
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("only another call can answer it"));
  EXPECT_EQ(log.find("only another"), log.rfind("only another"));
  EXPECT_FALSE(state->ready());
}

TEST_F(Still, Q6_WhereTheWholeProgramStandsStillTheCallFails) {
  auto state = call(peer);
  for (auto* each : {&peer, &other}) each->around.row.show_still(Inquiries::rounds_of_stillness);
  mine.board.row(2).arrived.store(0);  // what the test has called there was begun
  be_still(static_cast<int>(Inquiries::rounds_of_stillness));
  (void)asked(peer);
  for (int i = 0; i < Inquiries::most_stalled; ++i) {
    EXPECT_FALSE(state->ready());
    say(peer, state->call, call_fate::stalled);
  }
  ASSERT_TRUE(state->ready());
  EXPECT_THROW(state->take(), call_stalled);
}

TEST_F(Still, Q6_WhereOneOfTheProgramMovesItDoesNot) {
  auto state = call(peer);
  peer.around.row.show_still(Inquiries::rounds_of_stillness);
  other.around.row.show_still(Inquiries::rounds_of_stillness - 1);
  mine.board.row(2).arrived.store(0);
  be_still(static_cast<int>(Inquiries::rounds_of_stillness));
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2 * Inquiries::most_owed; ++i) say(peer, state->call, i < 8 ? call_fate::stalled : call_fate::owed);
  testing::internal::GetCapturedStderr();
  EXPECT_FALSE(state->ready());
}

}  // namespace
}  // namespace octavo::detail
