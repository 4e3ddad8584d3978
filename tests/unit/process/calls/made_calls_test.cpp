// SPDX-License-Identifier: Apache-2.0
// Each call that was entered is answered once: by its reply, by the death of its callee, or by the end of the endpoint.
#include "process/calls/made_calls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "octavo/base/error.hpp"
#include "octavo/process/detail/invoke.hpp"
#include "octavo/process/errors.hpp"
#include "process/error_report.hpp"
#include "unit/process/parts.hpp"

namespace made_calls_tests {
struct Counter {
  int add(int n) { return n; }
};
}  // namespace made_calls_tests

namespace octavo::detail {
namespace {

using testing::HasSubstr;

class MadeCallsTest : public PartTest {
 protected:
  // Its call goes the long way: the reader has not looked at its links.
  std::shared_ptr<State<int>> begin(const Address& to, std::uint64_t method = 5) {
    auto state = std::make_shared<State<int>>();
    begin(state, to, method);
    return state;
  }
  void begin(const std::shared_ptr<StateBase>& state, const Address& to, std::uint64_t method = 5) {
    wire::Outgoing out;
    parts.calls.begin(state, to, wire::frame_kind::call, method, out);
  }
  void read() {
    while (parts.poller.incoming()) parts.poller.pump();
  }
  // As Endpoint does.
  void died(const Address& who, std::int64_t life) {
    Obituary death;
    death.facts.address = who;
    death.facts.pid = life;
    parts.calls.fail(std::make_exception_ptr(process_died(death)), [&](const PendingCall& call) { return call.to == who && call.life == life; });
  }
  Calling parts{mine};
  Peer peer{machine, mine}, other{machine, mine};
};

TEST_F(MadeCallsTest, C1_AReplyCompletesTheCall) {
  auto state = begin(peer.address());
  EXPECT_FALSE(state->ready());
  EXPECT_FALSE(parts.calls.none_waits());
  EXPECT_TRUE(parts.calls.has(state->call));
  EXPECT_EQ(state->callee, peer.address());
  const auto asked = peer.hear();
  ASSERT_TRUE(asked);
  EXPECT_EQ(asked->header.kind, wire::frame_kind::call);
  EXPECT_EQ(asked->header.call, state->call);
  EXPECT_EQ(asked->header.method, 5U);
  peer.answer(asked->header, 42);
  read();
  ASSERT_TRUE(state->ready());
  EXPECT_EQ(state->take(), 42);
  EXPECT_TRUE(parts.calls.none_waits());
}

TEST_F(MadeCallsTest, RepliesMayComeInAnyOrderAndOnce) {
  auto first = begin(peer.address()), second = begin(peer.address());
  const auto one = peer.hear(), two = peer.hear();
  peer.answer(two->header, 2);
  peer.answer(two->header, 3);
  read();
  EXPECT_FALSE(first->ready());
  EXPECT_EQ(second->take(), 2);
  peer.answer(one->header, 1);
  read();
  EXPECT_EQ(first->take(), 1);
}

TEST_F(MadeCallsTest, C5_AnErrorCompletesTheCallToo) {
  auto state = begin(peer.address());
  auto asked = peer.hear();
  wire::Outgoing out;
  encode_error(out, std::make_exception_ptr(refused("not today")), peer.around.self, "f()");
  out.header = asked->header;
  out.header.kind = wire::frame_kind::error;
  peer.say(std::move(out));
  read();
  EXPECT_THROW(state->take(), refused);
}

// --- what else ends a call ---

TEST_F(MadeCallsTest, C6_ADeathFailsTheCallsToTheDeadAndNoOthers) {
  auto lost = begin(peer.address()), lost_too = begin(peer.address()), left = begin(other.address());
  died(peer.address(), peer.around.self.pid);
  EXPECT_THROW(lost->take(), process_died);
  EXPECT_THROW(lost_too->take(), process_died);
  EXPECT_FALSE(left->ready());
  EXPECT_TRUE(parts.calls.has(left->call));
  peer.answer(peer.hear()->header, 1);
  read();  // an answer that comes after all is nobody's
}

TEST_F(MadeCallsTest, C6_OfAnObjectWithANameOnlyTheCallsOfThatLifeFail) {
  for (auto* life : {&peer, &other}) {
    life->around.self.address = {1, 0, 50};
    machine.connect(mine, life->around);
  }
  auto first = begin({1, 0, 50});
  for (const auto& [pid, call] : parts.calls.look([](const PendingCalls& pending) {
         std::map<std::int64_t, std::uint64_t> lives;
         pending.for_each([&](const PendingCall& each) { lives[each.life] = each.state->call; });
         return lives;
       }))
    EXPECT_EQ(pid, peer.around.self.pid);
  mine.links.link_if_there({1, 0, 50}, peer.around.self.pid)->connection->close();
  auto second = begin({1, 0, 50});  // its first life is gone: it has another by now
  died({1, 0, 50}, peer.around.self.pid);
  EXPECT_THROW(first->take(), process_died);
  EXPECT_FALSE(second->ready());
  died({1, 0, 50}, other.around.self.pid);
  EXPECT_THROW(second->take(), process_died);
}

TEST_F(MadeCallsTest, ACallToTheDeadIsNotEntered) {
  machine.kill(peer.around);
  auto state = std::make_shared<State<int>>();
  EXPECT_THROW(begin(state, peer.address()), process_died);
  EXPECT_TRUE(parts.calls.none_waits());
}

TEST_F(MadeCallsTest, ACallWhoseConnectionEndsIsNotLeftEntered) {
  peer.back.connection->close();
  mine.links.lose_agent();
  const auto all = mine.pool.free_bytes();
  wire::Outgoing out;
  out.pages.push_back(mine.pool.allocate(5000));
  out.owner.keeper = &mine.pool;
  EXPECT_THROW(parts.calls.begin(std::make_shared<State<int>>(), peer.address(), wire::frame_kind::call, 5, out), gone_error);
  EXPECT_TRUE(parts.calls.none_waits());
  EXPECT_EQ(mine.pool.free_bytes(), all);
}

TEST_F(MadeCallsTest, TheEndFailsWhatWaitsAndLogsErrorsThatNobodySaw) {
  auto state = begin(peer.address());
  parts.calls.keep_lost_error(peer.address(), std::make_exception_ptr(refused("not today")));
  parts.calls.keep_lost_error(other.address(), std::make_exception_ptr(refused("taken")));
  EXPECT_THAT(text_of(parts.calls.take_lost_error(other.address())), HasSubstr("taken"));
  EXPECT_EQ(parts.calls.take_lost_error(other.address()), nullptr) << "once";
  testing::internal::CaptureStderr();
  parts.calls.end();
  const auto log = testing::internal::GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("a call to process 2 failed and nobody looked: not today"));
  EXPECT_THAT(log, Not(HasSubstr("taken")));
  EXPECT_THROW(state->take(), gone_error);
}

// --- taking back ---

TEST_F(MadeCallsTest, CancelAsksForTheCallAndGivesWhatTheCalleeSays) {
  auto state = begin(peer.address());
  const auto call = peer.hear();
  for (const bool taken_back : {true, false}) {
    parts.on_go_on = [&] {
      const auto asked = peer.hear();
      if (!asked) return;
      EXPECT_EQ(asked->header.kind, wire::frame_kind::cancel);
      EXPECT_EQ(asked->header.root, call->header.call);
      peer.answer(asked->header, taken_back);
    };
    EXPECT_EQ(parts.calls.cancel(*state), taken_back);
  }
}

TEST_F(MadeCallsTest, WhatIsNoCallOrWasAnsweredIsNotAskedFor) {
  State<int> promise;
  EXPECT_FALSE(parts.calls.cancel(promise));
  auto state = begin(peer.address());
  peer.answer(peer.hear()->header, 1);
  read();
  EXPECT_FALSE(parts.calls.cancel(*state));
  EXPECT_FALSE(peer.hear());
}

// --- what waits ---

TEST_F(MadeCallsTest, AnObjectIsPartedFromOnlyWhileNoCallToItWaits) {
  auto state = begin(peer.address());
  int parted = 0;
  auto part = [&] { ++parted; };
  EXPECT_FALSE(parts.calls.may_part(peer.address(), part));
  EXPECT_EQ(parted, 0);
  EXPECT_TRUE(parts.calls.may_part(other.address(), part));
  EXPECT_EQ(parted, 1);
  peer.answer(peer.hear()->header, 1);
  read();
  EXPECT_TRUE(parts.calls.may_part(peer.address(), part));
  EXPECT_EQ(parted, 2);
}

TEST_F(MadeCallsTest, C3_CallsDescendFromTheOneThatRuns) {
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

TEST_F(MadeCallsTest, C3_AReplySaysWhetherMoreOfItsRootMayRun) {
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

TEST_F(MadeCallsTest, C3_OfACallThatFailedItIsNotKnownWhatItHadBegun) {
  parts.context.serve_here();
  CallContext::Scope running(parts.context, 77, 3);
  running.nothing_else_runs(false);
  auto state = begin(peer.address());
  died(other.address(), other.around.self.pid);
  EXPECT_FALSE(parts.context.may_others_run());
  died(peer.address(), peer.around.self.pid);
  EXPECT_TRUE(parts.context.may_others_run());
}

TEST_F(MadeCallsTest, ACallIsNamedByItsMethodAndItsProcess) {
  const auto* method = MethodOf<&made_calls_tests::Counter::add>::entry;
  auto known = begin(peer.address(), method->hash), unknown = begin(other.address(), 5);
  EXPECT_EQ(parts.calls.name_of(known->call), "made_calls_tests::Counter::add(int) of process 2");
  EXPECT_EQ(parts.calls.name_of(unknown->call), "a call of process 3");
  EXPECT_EQ(parts.calls.name_of(12345), "a call");
}

TEST_F(MadeCallsTest, ACallThatWasForgottenIsNotCompleted) {
  auto state = begin(peer.address());
  EXPECT_EQ(parts.calls.forget(state->call), state);
  EXPECT_EQ(parts.calls.forget(state->call), nullptr);
  peer.answer(peer.hear()->header, 1);
  read();
  EXPECT_FALSE(state->ready());
}

}  // namespace
}  // namespace octavo::detail
