// SPDX-License-Identifier: Apache-2.0
// The object of an endpoint: what its callers ask lies on the road before it begins to serve, which the thread of the test does.
#include "process/serve/object_server.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "octavo/base/error.hpp"
#include "octavo/process/detail/invoke.hpp"
#include "octavo/process/errors.hpp"
#include "process/errors/error_report.hpp"
#include "unit/process/serve/object_serving.hpp"

namespace octavo::detail {
namespace {

using object_serving::Counter;
using testing::ElementsAre;
using testing::HasSubstr;

class ObjectServerTest : public ObjectServing {};

TEST_F(ObjectServerTest, C2_CallsRunInTheOrderInWhichTheyCame) {
  construct(10);
  add(1);
  add(2);
  destroy();
  server.serve();
  EXPECT_THAT(answers(), ElementsAre("reply 1", "reply 2: 11", "reply 3: 13", "reply 4"));
  EXPECT_EQ(server.object(), nullptr);
  EXPECT_THAT(Counter::events, ElementsAre("made", "add", "add", "destroyed"));
  const auto told = mine.told();
  const auto* bye = told ? control::get_if<control::Bye>(&*told) : nullptr;
  ASSERT_NE(bye, nullptr);
  EXPECT_FALSE(bye->resting);
}

TEST_F(ObjectServerTest, C5_AMethodThatThrowsIsAnsweredAndTheObjectGoesOn) {
  construct(10);
  ask(wire::frame_kind::call, MethodOf<&Counter::fail>::entry);
  add(1);
  destroy();
  server.serve();
  EXPECT_THAT(answers(), ElementsAre("reply 1", HasSubstr("error 2: it counts no more"), "reply 3: 11", "reply 4"));
}

TEST_F(ObjectServerTest, TheErrorOfTheConstructorEndsIt) {
  construct(-1);
  add(1);
  server.serve();
  EXPECT_THAT(answers(), ElementsAre(HasSubstr("error 1: less than nothing")));
  EXPECT_TRUE(mine.told()) << "it says goodbye";
}

TEST_F(ObjectServerTest, AMethodThatIsNotKnownHereIsNamed) {
  construct(10);
  Method unknown;
  unknown.hash = 12345;
  ask(wire::frame_kind::call, &unknown);
  add(1);
  destroy();
  server.serve();
  EXPECT_THAT(answers(), ElementsAre("reply 1", HasSubstr("has no method with the key 12345"), "reply 3: 11", "reply 4"));
}

// A peer of an earlier life of the agent, or of another object.
TEST_F(ObjectServerTest, ACallForAnotherIsRefused) {
  construct(10);
  for (const bool life : {true, false}) {
    auto out = frame(wire::frame_kind::call, MethodOf<&Counter::work>::entry);
    if (life) out.header.incarnation = 9;
    else out.header.object = 99;
    peer.say(std::move(out));
  }
  destroy();
  server.serve();
  EXPECT_THAT(answers(), ElementsAre("reply 1", HasSubstr("a call for process 1 (incarnation 9) came to another"),
                                     HasSubstr("a call for process 99 (incarnation 1) came to another"), "reply 4"));
  EXPECT_THAT(Counter::events, ElementsAre("made", "destroyed"));
}

TEST_F(ObjectServerTest, NothingIsCalledBeforeThereIsAnObjectAndNoneIsMadeTwice) {
  construct(10);
  construct(20);
  add(1);
  destroy();
  server.serve();
  EXPECT_THAT(answers(), ElementsAre("reply 1", HasSubstr("cannot construct here"), "reply 3: 11", "reply 4"));
}

// Without an object it has nothing to go on with.
TEST_F(ObjectServerTest, ACallBeforeThereIsAnObjectEndsIt) {
  add(1);
  server.serve();
  EXPECT_THAT(answers(), ElementsAre(HasSubstr("was called on a process that has no object")));
}

TEST_F(ObjectServerTest, C9_TheObjectIsAskedForItsClass) {
  construct(10);
  for (const std::string& name : {std::string(type_name<Counter>()), std::string("Window")}) {
    wire::Outgoing out = frame(wire::frame_kind::is_a, nullptr);
    wire::Encoder encoder(out);
    encoder(name);
    peer.say(std::move(out));
  }
  destroy();
  server.serve();
  EXPECT_THAT(answers(), ElementsAre("reply 1", "reply 2", HasSubstr("Window"), "reply 4"));
}

TEST_F(ObjectServerTest, WithoutANameItHasNoStateToBeSaved) {
  construct(10);
  ask(wire::frame_kind::save, nullptr);
  destroy();
  server.serve();
  EXPECT_THAT(answers(), ElementsAre("reply 1", HasSubstr("the object has no name"), "reply 3"));
}

TEST_F(ObjectServerTest, A1_WithoutItsAgentItEndsAndSaysNothing) {
  construct(10);
  work([&] { mine.links.lose_agent(); });
  server.serve();
  EXPECT_THAT(answers(), ElementsAre("reply 1", "reply 2"));
  EXPECT_FALSE(mine.told());
  EXPECT_NE(server.object(), nullptr);
  server.destroy_object();
  EXPECT_EQ(Counter::events.back(), "destroyed");
}

// --- while a method waits ---

TEST_F(ObjectServerTest, C3_WhileAMethodWaitsItsCallbacksRunAndNothingElse) {
  construct(10);
  work(
      [&] {
        parts.poller.pump();
        server.run_callbacks();
        Counter::events.emplace_back("goes on");
      },
      77, 2);
  add(1);            // of another root
  add(2, 77, 2);     // the same method made it afterwards
  add(1000, 77, 3);  // called back
  destroy();
  server.serve();
  EXPECT_THAT(answers(), ElementsAre("reply 1", "reply 5: 1010", "reply 2", "reply 3: 1011", "reply 4: 1013", "reply 6"));
  EXPECT_THAT(Counter::events, ElementsAre("made", "work", "add", "goes on", "add", "add", "destroyed"));
}

TEST_F(ObjectServerTest, C3_WhatTheObjectIsAskedWhileItRunsKnowsItsRoot) {
  construct(10);
  work(
      [&] {
        EXPECT_EQ(parts.context.root(), 77U);
        EXPECT_EQ(parts.context.depth_of_next_call(), 3);
        EXPECT_FALSE(parts.context.may_others_run());
        EXPECT_FALSE(parts.context.root_began_here());
        EXPECT_TRUE(parts.served.depth_of_running(peer.address(), 2));
      },
      77, 2);
  work([&] { EXPECT_TRUE(parts.context.root_began_here()); }, root_of(peer.address(), 3), 1);
  destroy();
  server.serve();
  EXPECT_EQ(answers().size(), 4U);
}

TEST_F(ObjectServerTest, ACallThatHasNotBegunIsTakenBack) {
  construct(10);
  work([&] { parts.poller.pump(); });  // reads the calls, and that the first is asked back
  add(1);
  add(2);
  cancel(3);
  cancel(3);
  cancel(2);
  destroy();
  server.serve();
  EXPECT_THAT(answers(), ElementsAre("reply 1", HasSubstr("error 3: the call was cancelled before it began"), "reply 5: yes", "reply 6: no", "reply 7: no",
                                     "reply 2", "reply 4: 12", "reply 8"));
}

TEST_F(ObjectServerTest, PagesOfACallThatNobodyTookGoBack) {
  const auto all = mine.pool.free_bytes();
  construct(10);
  auto out = frame(wire::frame_kind::call, MethodOf<&Counter::work>::entry);
  out.pages.push_back(peer.around.pool.allocate(5000));
  peer.say(std::move(out));
  Counter::works.emplace_back([&] { EXPECT_LT(mine.pool.free_bytes(), all); });
  work([&] { EXPECT_EQ(mine.pool.free_bytes(), all); });
  destroy();
  server.serve();
}

}  // namespace
}  // namespace octavo::detail
