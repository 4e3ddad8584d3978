// SPDX-License-Identifier: Apache-2.0
// What is known of the calls that wait: which, of which root, and what they had begun.
#include <gtest/gtest.h>

#include "octavo/process/detail/invoke.hpp"
#include "unit/process/calls/calling.hpp"

namespace made_calls_tests {
struct Counter {
  int add(int n) { return n; }
};
}  // namespace made_calls_tests

namespace octavo::detail {
namespace {

class WaitingCalls : public MadeCallsTest {};

TEST_F(WaitingCalls, AnObjectIsPartedFromOnlyWhileNoCallToItWaits) {
  auto state = begin(peer.address());
  int parted = 0;
  auto part = [&] { ++parted; };
  EXPECT_FALSE(parts.calls.do_if_none_waits(peer.address(), part));
  EXPECT_EQ(parted, 0);
  EXPECT_TRUE(parts.calls.do_if_none_waits(other.address(), part));
  EXPECT_EQ(parted, 1);
  peer.answer(peer.hear()->header, 1);
  read();
  EXPECT_TRUE(parts.calls.do_if_none_waits(peer.address(), part));
  EXPECT_EQ(parted, 2);
}

TEST_F(WaitingCalls, C3_CallsDescendFromTheOneThatRuns) {
  parts.context.serve_here();
  auto before = begin(peer.address());
  {
    const CallContext::Scope running(parts.context, 77, 3);
    auto one = begin(peer.address()), two = begin(other.address());
    EXPECT_EQ(parts.calls.waiting_of(77), 2U);
  }
  auto after = begin(peer.address());
  const auto first = peer.hear()->header, second = peer.hear()->header, third = peer.hear()->header;
  EXPECT_EQ(second.root, 77U);
  EXPECT_EQ(second.flags, 4) << "one level deeper";
  for (const auto& own : {first, third}) {
    EXPECT_EQ(own.root, root_of(mine.self.address, own.call)) << "a root itself";
    EXPECT_EQ(own.flags, 1);
    EXPECT_EQ(parts.calls.waiting_of(own.root), 1U);
  }
  EXPECT_NE(first.root, third.root);
}

TEST_F(WaitingCalls, C3_AReplySaysWhetherMoreOfItsRootMayRun) {
  parts.context.serve_here();
  CallContext::Scope running(parts.context, 77, 3);
  running.nothing_else_runs(false);
  auto state = begin(peer.address());
  auto asked = peer.hear()->header;
  asked.kind = wire::frame_kind::reply;
  asked.flags = wire::flag_more_may_run;
  wire::Outgoing out;
  out.header = asked;
  peer.say(std::move(out));
  EXPECT_FALSE(parts.context.may_others_run());
  read();
  EXPECT_TRUE(parts.context.may_others_run());
}

TEST_F(WaitingCalls, C3_OfACallThatFailedItIsNotKnownWhatItHadBegun) {
  parts.context.serve_here();
  CallContext::Scope running(parts.context, 77, 3);
  running.nothing_else_runs(false);
  auto state = begin(peer.address());
  died(other.address(), other.around.self.pid);
  EXPECT_FALSE(parts.context.may_others_run());
  died(peer.address(), peer.around.self.pid);
  EXPECT_TRUE(parts.context.may_others_run());
}

TEST_F(WaitingCalls, ACallIsNamedByItsMethodAndItsProcess) {
  const auto* method = MethodOf<&made_calls_tests::Counter::add>::entry;
  auto known = begin(peer.address(), method->hash), unknown = begin(other.address(), 5);
  EXPECT_EQ(parts.calls.name_of(known->call), "made_calls_tests::Counter::add(int) of process 2");
  EXPECT_EQ(parts.calls.name_of(unknown->call), "a call of process 3");
  EXPECT_EQ(parts.calls.name_of(12345), std::nullopt);
}

TEST_F(WaitingCalls, ACallThatWasForgottenIsNotCompleted) {
  auto state = begin(peer.address());
  EXPECT_EQ(parts.calls.forget(state->call), state);
  EXPECT_EQ(parts.calls.forget(state->call), nullptr);
  peer.answer(peer.hear()->header, 1);
  read();
  EXPECT_FALSE(state->ready());
}

}  // namespace
}  // namespace octavo::detail
