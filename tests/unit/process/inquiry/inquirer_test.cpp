// SPDX-License-Identifier: Apache-2.0
// Calls that wait for long are asked after, and such questions are answered: the rounds are the test's, and so is what the callee says.
#include "process/inquiry/inquirer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "octavo/base/error.hpp"
#include "octavo/process/errors.hpp"
#include "unit/process/serve/serving.hpp"

namespace octavo::detail {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class Inquiring final : public Serving {
 public:
  explicit Inquiring(kit::BareSurroundings& of) : Serving(of) {}
  void other(wire::Message& message, const PeerLink& from) override {
    if (message.header.kind == wire::frame_kind::inquiry) inquirer.take(message, from);
    else served.take(message, from);
  }
  void died(const Obituary& death) override {  // as Endpoint does
    calls.fail(std::make_exception_ptr(process_died(death)), [&](const PendingCall& call) { return call.to == death.facts.address; });
  }
  void something_changed(bool /*some_died*/) override { inquirer.fail_lost_calls(); }
  Inquirer inquirer{around, poller.waiters(), calls, sender, served, executor, replies.owed(), std::chrono::milliseconds(60000)};
};

class InquirerTest : public PartTest {
 protected:
  std::shared_ptr<State<int>> call(const Peer& to) {
    auto state = std::make_shared<State<int>>();
    wire::Outgoing out;
    parts.calls.begin(state, to.address(), wire::frame_kind::call, 5, out);
    EXPECT_TRUE(to.hear());
    return state;
  }
  void read() {
    while (parts.poller.incoming()) parts.poller.pump();
  }
  // The watch thread's round, and the reader's look at what that found.
  void round() {
    inquirer.round();
    read();
  }
  void say(const Peer& by, std::uint64_t number, call_fate fate) {
    by.say(frame_of(wire::frame_kind::inquiry, number, 0, static_cast<std::uint8_t>(fate)));
    read();
  }
  // The calls that `at` was asked after.
  static std::vector<std::uint64_t> asked(const Peer& at) {
    std::vector<std::uint64_t> calls;
    while (const auto message = at.hear())
      if (message->header.kind == wire::frame_kind::inquiry && message->header.flags == 0) calls.push_back(message->header.call);
    return calls;
  }
  // What is answered to `by` of its call.
  call_fate fate_of(const Peer& by, std::uint64_t number) {
    say(by, number, call_fate::asked);
    const auto answer = by.hear();
    EXPECT_TRUE(answer && answer->header.kind == wire::frame_kind::inquiry && answer->header.call == number);
    return answer ? static_cast<call_fate>(answer->header.flags) : call_fate::asked;
  }
  // Asked once more, it says this.
  void hear_of(const StateBase& state, call_fate fate) {
    round();
    EXPECT_THAT(asked(peer), ElementsAre(state.call));
    say(peer, state.call, fate);
  }
  Inquiring parts{mine};
  Inquirer& inquirer = parts.inquirer;
  Peer peer{machine, mine}, other{machine, mine};
};

// --- asking ---

TEST_F(InquirerTest, Q1_ACallIsAskedAfterThatWasUnansweredInTheRoundBefore) {
  round();
  auto state = call(peer);
  round();
  EXPECT_THAT(asked(peer), ElementsAre()) << "it was not there a round ago";
  round();
  EXPECT_THAT(asked(peer), ElementsAre(state->call));
  EXPECT_THAT(asked(other), ElementsAre());
  round();
  EXPECT_THAT(asked(peer), ElementsAre()) << "the question lies there yet: the callee does not read";
  say(peer, state->call, call_fate::running);
  round();
  EXPECT_THAT(asked(peer), ElementsAre(state->call));
}

TEST_F(InquirerTest, Q1_WhatWasAnsweredIsNotAskedAfter) {
  auto state = call(peer);
  round();
  wire::FrameHeader header;
  header.call = state->call;
  peer.answer(header, 42);
  read();
  round();
  EXPECT_THAT(asked(peer), ElementsAre());
}

TEST_F(InquirerTest, Q2_ACallThatIsUnknownTwiceInARowFails) {
  auto state = call(peer);
  round();
  hear_of(*state, call_fate::unknown);
  EXPECT_FALSE(state->ready()) << "two processes may have two connections with each other";
  testing::internal::CaptureStderr();
  hear_of(*state, call_fate::unknown);
  const auto log = testing::internal::GetCapturedStderr();
  ASSERT_TRUE(state->ready());
  try {
    (void)state->take();
  } catch (const gone_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("Bare1 (process 1, pid 1001) waited for an answer that will never come, to a call of process 2"));
    EXPECT_THAT(log, HasSubstr("will never come"));
  }
}

TEST_F(InquirerTest, Q2_InARowMeansThatNothingElseWasSaidBetween) {
  auto state = call(peer);
  round();
  for (int i = 0; i < 3; ++i) {
    hear_of(*state, call_fate::unknown);
    hear_of(*state, i == 1 ? call_fate::owed : call_fate::queued);
  }
  EXPECT_FALSE(state->ready());
}

TEST_F(InquirerTest, Q2_OtherCallsToThatProcessGoOn) {
  auto lost = call(peer), left = call(peer);
  round();
  testing::internal::CaptureStderr();
  for (int i = 0; i < 2; ++i) {
    round();
    EXPECT_THAT(asked(peer), testing::UnorderedElementsAre(lost->call, left->call));
    say(peer, lost->call, call_fate::unknown);
    say(peer, left->call, call_fate::running);
  }
  testing::internal::GetCapturedStderr();
  EXPECT_THROW(lost->take(), gone_error);
  EXPECT_FALSE(left->ready());
}

TEST_F(InquirerTest, Q5_WhatIsQueuedOrRunsNeverFails) {
  auto state = call(peer);
  round();
  for (int i = 0; i < 20; ++i) hear_of(*state, i % 2 == 0 ? call_fate::queued : call_fate::running);
  EXPECT_FALSE(state->ready());
}

// --- lost connections ---

TEST_F(InquirerTest, Q3_ACallWhoseConnectionIsLostFailsAfterThreeRounds) {
  auto state = call(peer);
  round();
  peer.back.connection->close();
  for (int i = 0; i < 2; ++i) {
    round();
    EXPECT_FALSE(state->ready());
  }
  testing::internal::CaptureStderr();
  round();
  testing::internal::GetCapturedStderr();
  ASSERT_TRUE(state->ready());
  EXPECT_THROW(state->take(), gone_error);
}

TEST_F(InquirerTest, Q3_TheWatchThreadFindsItAndTheReaderFailsIt) {
  auto state = call(peer);
  round();
  peer.back.connection->close();
  for (int i = 0; i < 3; ++i) inquirer.round();
  EXPECT_FALSE(state->ready()) << "what waits for it is the reader's to run";
  testing::internal::CaptureStderr();
  read();
  testing::internal::GetCapturedStderr();
  EXPECT_TRUE(state->ready());
}

TEST_F(InquirerTest, Q3_WhatTheLostOneHadSaidIsReadFirst) {
  auto state = call(peer);
  round();
  wire::FrameHeader header;
  header.call = state->call;
  peer.answer(header, 42);
  peer.back.connection->close();
  for (int i = 0; i < 3; ++i) inquirer.round();
  inquirer.fail_lost_calls();
  EXPECT_FALSE(state->ready());
  read();
  EXPECT_EQ(state->take(), 42);
}

TEST_F(InquirerTest, Q3_OfADeathItsAgentTells) {
  auto state = call(peer);
  round();
  machine.kill(peer.around);
  for (int i = 0; i < 5; ++i) inquirer.round();
  inquirer.fail_lost_calls();
  EXPECT_FALSE(state->ready()) << "the death comes first";
  read();
  EXPECT_THROW(state->take(), process_died);
}

// --- being asked ---

TEST_F(InquirerTest, Q1_ACalleeSaysWhatBecameOfACall) {
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

TEST_F(InquirerTest, Q4_ThatACalleeStandsStillIsLoggedOnceAndNothingFails) {
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
