// SPDX-License-Identifier: Apache-2.0
// G-7, G-16: what a group message that nobody read tells of, to whom, and how often.
#include "process/member/inbox.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "process/errors/error_report.hpp"
#include "unit/process/parts.hpp"

namespace octavo::detail {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::uint64_t group = 6;
constexpr std::uint32_t me = 0, other = 1;

class Inboxes : public testing::Test {
 protected:
  static GroupMessageKey key(std::uint64_t round, std::uint64_t sequence, std::uint32_t from = me) { return {round, group, sequence, from}; }
  static wire::Message message(const GroupMessageKey& of, group_message what, const std::function<void(wire::Outgoing&)>& encode) {
    wire::Outgoing out;
    encode(out);
    address_group_message(out, of, what);
    return wire::message_of(out);
  }
  void value_comes(std::uint64_t round, std::uint64_t sequence, const std::string& text) {
    inbox.put(message(key(round, sequence, other), group_message::value,
                      [&](wire::Outgoing& out) {
                        wire::Encoder encoder(out);
                        encoder(text);
                      }),
              nullptr);
  }
  void failure_comes(std::uint64_t round, std::uint64_t sequence) {
    const auto error = std::make_exception_ptr(usage_error("they differ", "Let them not"));
    inbox.put(message(key(round, sequence, other), group_message::failure, [&](wire::Outgoing& out) { encode_error(out, error, self, "test"); }), nullptr);
  }
  std::string enter(std::uint64_t round, std::uint64_t sequence, const std::string& text) { return text_of(inbox.enter(key(round, sequence), text)); }
  void leave(std::uint64_t round, std::uint64_t sequence, bool well = true) { inbox.leave(key(round, sequence), well); }
  // This member gives and leaves, and what the other one gave comes then.
  void both_give(std::uint64_t round, std::uint64_t sequence) {
    enter(round, sequence, "my broadcast");
    leave(round, sequence);
    value_comes(round, sequence, "their broadcast");
  }
  void answer(std::uint64_t round, bool well) {
    static_cast<void>(inbox.answered(round, well ? nullptr : std::make_exception_ptr(std::domain_error("failed"))));
  }

  ProcessFacts self;
  Inbox inbox{self};
};
const auto tells = AllOf(HasSubstr("member 0 is in my broadcast"), HasSubstr("member 1 in their broadcast"));

TEST_F(Inboxes, G7_WhatNobodyReadTellsTheNextCollective) {
  both_give(9, 1);
  EXPECT_THAT(enter(9, 2, "barrier"), tells);
}

TEST_F(Inboxes, G7_AndTheOneThatThisMemberIsInWhenItComes) {
  enter(9, 1, "my broadcast");
  leave(9, 1);
  EXPECT_EQ(enter(9, 2, "barrier"), "");
  value_comes(9, 1, "their broadcast");
  value_comes(9, 2, "barrier");
  const auto taken = inbox.take(key(9, 2, other));
  ASSERT_TRUE(taken);
  EXPECT_THAT(text_of(taken->earlier), tells);
}

TEST_F(Inboxes, G7_AndTheNextCallToAllWhereNobodyHeardOfIt) {
  both_give(9, 1);
  answer(9, true);
  EXPECT_TRUE(inbox.would_tell_of_other_rounds(key(10, 1)));
  EXPECT_THAT(enter(10, 1, "barrier"), tells);
  leave(10, 1, false);
  answer(10, false);
  EXPECT_EQ(enter(11, 1, "barrier"), "") << "once";
}

TEST_F(Inboxes, G16_TheNextCallToAllHearsNothingOfOneThatFailedHere) {
  both_give(9, 1);
  EXPECT_THAT(enter(9, 2, "barrier"), tells);
  leave(9, 2, false);
  value_comes(9, 1, "more of it");
  answer(9, false);
  value_comes(9, 1, "the rest of it");
  EXPECT_EQ(enter(10, 1, "barrier"), "");
}

TEST_F(Inboxes, G16_NorOfOneThatWasAnsweredByAnError) {
  both_give(9, 1);
  answer(9, false);
  value_comes(9, 1, "the rest of it");
  EXPECT_EQ(enter(10, 1, "barrier"), "");
}

TEST_F(Inboxes, G16_NorOfOneThatFailedAtAnother) {
  for (const bool answered_first : {true, false}) {
    const std::uint64_t round = answered_first ? 9 : 11;
    both_give(round, 1);
    both_give(round, 2);
    if (answered_first) answer(round, true);
    failure_comes(round, 2);
    if (!answered_first) answer(round, true);
    EXPECT_FALSE(inbox.would_tell_of_other_rounds(key(round + 1, 1)));
    EXPECT_EQ(enter(round + 1, 1, "barrier"), "");
    leave(round + 1, 1);
  }
}

TEST_F(Inboxes, OfMembersThatAreCalledOneByOneAFailureIsToldOnce) {
  both_give(0, 1);
  enter(0, 2, "barrier");
  failure_comes(0, 2);
  leave(0, 2, false);
  value_comes(0, 1, "more of it");
  EXPECT_EQ(enter(0, 3, "barrier"), "");
  leave(0, 3);
  value_comes(0, 3, "their broadcast");
  EXPECT_THAT(enter(0, 4, "barrier"), HasSubstr("their broadcast")) << "another one";
}

}  // namespace
}  // namespace octavo::detail
