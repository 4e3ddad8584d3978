// SPDX-License-Identifier: Apache-2.0
// Calls that wait for long are asked after: the rounds are the test's, and so is what the callee says.
#include "process/inquiry/inquirer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "octavo/base/error.hpp"
#include "octavo/process/errors.hpp"
#include "unit/process/inquiry/inquiring.hpp"

namespace octavo::detail {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

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

}  // namespace
}  // namespace octavo::detail
