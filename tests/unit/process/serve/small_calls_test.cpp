// SPDX-License-Identifier: Apache-2.0
// A call of a few numbers is run from its line; whatever is not as usual is left there.
#include "process/serve/small_calls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "octavo/base/error.hpp"
#include "octavo/process/detail/invoke.hpp"
#include "unit/process/serve/serving.hpp"

namespace small_calls_tests {
struct Counter {
  int sum = 0;
  std::function<void()> meanwhile;
  int add(int n) {
    if (meanwhile) meanwhile();
    return sum += n;
  }
  int fail(int /*n*/) { throw octavo::refused("it counts no more"); }
  std::string text(int /*n*/) { return "not a number"; }
};
}  // namespace small_calls_tests

namespace octavo::detail {
namespace {

using small_calls_tests::Counter;
using testing::ElementsAre;

class SmallCallsTest : public PartTest {
 protected:
  void SetUp() override {
    view_as(object, typeid(Counter), "Counter");  // as its first call did, the long way
    for (const auto* each : {&peer, &other}) {
      each->say(frame_of(wire::frame_kind::call, 1));
      wire::Message message;
      ASSERT_TRUE(each->link.connection->receive(message));
    }
    parts.poller.pump();
  }
  [[nodiscard]] wire::SmallFrame call(std::uint64_t number, const Method* method, int argument, std::uint64_t root = 77) const {
    wire::SmallFrame frame;
    frame.call = number;
    frame.root = root;
    frame.method = method->hash;
    frame.size = sizeof argument;
    std::memcpy(frame.body.data(), &argument, sizeof argument);
    return frame;
  }
  void ask(const Peer& by, const wire::SmallFrame& frame) const { ASSERT_EQ(by.back.connection->send_small(frame), road::sent_now::sent); }
  static int value_of(const std::optional<wire::Message>& answer) {
    int value = 0;
    if (answer && answer->body.size() == sizeof value) std::memcpy(&value, answer->body.span().data(), sizeof value);
    return value;
  }
  [[nodiscard]] bool lies_there(const Peer& by) const {
    wire::SmallFrame next;
    return by.link.connection->next_small(next);
  }

  const Method* add = MethodOf<&Counter::add>::entry;
  Serving parts{mine};
  Peer peer{machine, mine}, other{machine, mine};
  KnownMethods methods;
  HostedAs<Counter> object;
  Counter& counter = *static_cast<Counter*>(object.get());
  SmallCalls small{parts.around, parts.poller, parts.context, parts.served, *parts.executor, parts.replies, methods};
};

TEST_F(SmallCallsTest, ACallIsRunFromItsLineAndAnswered) {
  EXPECT_FALSE(small.serve_one(object)) << "there is none";
  for (int round = 1; round <= 2; ++round) {  // the first answer of a connection goes whole, the second as a line
    ask(peer, call(static_cast<std::uint64_t>(round), add, 20));
    EXPECT_TRUE(small.serve_one(object));
    const auto answer = peer.hear();
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->header.kind, wire::frame_kind::reply);
    EXPECT_EQ(answer->header.call, static_cast<std::uint64_t>(round));
    EXPECT_EQ(answer->header.root, 77U);
    EXPECT_EQ(answer->header.flags, 0);
    EXPECT_EQ(answer->header.caller, peer.address().object);
    EXPECT_EQ(value_of(answer), 20 * round);
  }
  EXPECT_FALSE(small.serve_one(object));
  EXPECT_TRUE(parts.served.none());
}

TEST_F(SmallCallsTest, C3_AnAnswerSaysWhetherMoreMayRun) {
  parts.more_may_run = true;
  for (std::uint64_t number = 1; number <= 2; ++number) {
    ask(peer, call(number, add, 1));
    EXPECT_TRUE(small.serve_one(object));
    EXPECT_EQ(peer.hear()->header.flags, wire::flag_more_may_run);
  }
}

TEST_F(SmallCallsTest, C5_WhatTheMethodThrowsIsAnswered) {
  ask(peer, call(1, MethodOf<&Counter::fail>::entry, 1));
  EXPECT_TRUE(small.serve_one(object));
  const auto answer = peer.hear();
  ASSERT_TRUE(answer);
  EXPECT_EQ(answer->header.kind, wire::frame_kind::error);
  EXPECT_EQ(answer->header.call, 1U);
}

TEST_F(SmallCallsTest, EachConnectionHasItsTurn) {
  for (std::uint64_t number = 1; number <= 2; ++number)
    for (const auto* by : {&peer, &other}) ask(*by, call(number, add, 1));
  std::vector<int> sums;
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(small.serve_one(object));
    EXPECT_TRUE(small.serve_one(object));
    sums.push_back(value_of(peer.hear()));
    sums.push_back(value_of(other.hear()));
  }
  EXPECT_THAT(sums, ElementsAre(1, 2, 3, 4));
}

TEST_F(SmallCallsTest, WhileItRunsTheCallIsKnown) {
  counter.meanwhile = [&] {
    EXPECT_EQ(parts.context.root(), 77U);
    EXPECT_EQ(parts.context.depth_of_next_call(), 4);
    EXPECT_TRUE(parts.served.depth_of_running(peer.address(), 1));
    EXPECT_FALSE(parts.context.may_others_run());
    EXPECT_FALSE(parts.context.root_began_here());
  };
  auto deep = call(1, add, 1);
  deep.flags = 3;
  ask(peer, deep);
  EXPECT_TRUE(small.serve_one(object));
  EXPECT_FALSE(parts.served.depth_of_running(peer.address(), 1));
  counter.meanwhile = [&] { EXPECT_TRUE(parts.context.root_began_here()); };
  ask(peer, call(2, add, 1, root_of(peer.address(), 2)));
  EXPECT_TRUE(small.serve_one(object));
}

// --- what is left to the way of every call ---

TEST_F(SmallCallsTest, WhatCameBeforeGoesFirst) {
  ask(peer, call(2, add, 1));
  parts.queue(other, 1);
  EXPECT_FALSE(small.serve_one(object));
  (void)parts.served.next();
  EXPECT_TRUE(small.serve_one(object));
}

TEST_F(SmallCallsTest, AChangeOfTheLinksGoesFirst) {
  ask(peer, call(1, add, 1));
  mine.links.something_changed();
  EXPECT_FALSE(small.serve_one(object));
  parts.poller.view().refresh(mine.links.version());
  EXPECT_TRUE(small.serve_one(object));
}

TEST_F(SmallCallsTest, WhatIsNotOfAFewNumbersIsLeft) {
  Method unknown;
  unknown.hash = 12345;
  auto shorter = call(1, add, 1);
  shorter.size = 3;
  for (const auto& each : {call(1, &unknown, 1), call(1, MethodOf<&Counter::text>::entry, 1), shorter}) {
    ask(peer, each);
    EXPECT_FALSE(small.serve_one(object));
    EXPECT_TRUE(lies_there(peer));
    peer.link.connection->pop_small();
  }
  EXPECT_EQ(counter.sum, 0);
}

TEST_F(SmallCallsTest, AnObjectThatIsSeenAsAnotherClassIsLeft) {
  HostedAs<Counter> never_seen;
  ask(peer, call(1, add, 1));
  EXPECT_FALSE(small.serve_one(never_seen));
  EXPECT_TRUE(lies_there(peer));
}

// --- what a method may do ---

TEST_F(SmallCallsTest, TheLinksMayChangeWhileItRuns) {
  counter.meanwhile = [&] {
    mine.links.something_changed();
    parts.poller.pump();
  };
  for (std::uint64_t number = 1; number <= 2; ++number) {
    ask(peer, call(number, add, 1));
    EXPECT_TRUE(small.serve_one(object));
    EXPECT_EQ(value_of(peer.hear()), static_cast<int>(number));
  }
}

TEST_F(SmallCallsTest, TheCallerMayDieWhileItRuns) {
  counter.meanwhile = [&] {
    machine.kill(peer.around);
    while (parts.poller.incoming()) parts.poller.pump();
  };
  ask(peer, call(1, add, 1));
  EXPECT_TRUE(small.serve_one(object));
  EXPECT_EQ(counter.sum, 1);
}

// --- one that calls again and again ---

TEST_F(SmallCallsTest, WhoWaitsForTheNextCallStopsWhenSomethingComes) {
  for (std::uint64_t number = 1; number <= 3; ++number) {
    ask(peer, call(number, add, 1));
    EXPECT_TRUE(small.serve_one(object));
  }
  small.await_next();  // for a moment only
  ask(peer, call(4, add, 1));
  small.await_next();
  EXPECT_TRUE(small.serve_one(object));
  EXPECT_EQ(counter.sum, 4);
}

}  // namespace
}  // namespace octavo::detail
