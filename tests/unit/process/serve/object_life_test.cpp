// SPDX-License-Identifier: Apache-2.0
// What a server tells the ObjectLife of its object, and when.
#include "process/serve/object_life.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "octavo/base/error.hpp"
#include "unit/process/serve/object_serving.hpp"

namespace octavo::detail {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class FakeLife final : public ObjectLife {
 public:
  bool begin(std::unique_ptr<Hosted>& object) override {
    if (restored) object = std::make_unique<HostedAs<object_serving::Counter>>(*restored);
    return tell("begin", begins);
  }
  void constructed(Hosted& /*object*/) override {
    tell("constructed");
    if (refuses_new) throw refused("no room for its state");
  }
  void constructor_threw() override { tell("constructor threw"); }
  void never_constructed() override { tell("never constructed"); }
  void destroyed() override { tell("destroyed"); }
  void save(Hosted& /*object*/) override { tell("save"); }
  [[nodiscard]] bool asks_before_reply() const override { return true; }
  void before_reply(Hosted& /*object*/, bool by_methods_thread) override {
    tell(by_methods_thread ? "before reply" : "before a later reply");
    if (refuses_reply) throw io_error("the disk is full");
  }
  [[nodiscard]] road::Deadline idle_at(bool called) const override { return idles_soon && called ? road::Clock::now() : road::never; }
  void idles() override {
    tell("idles");
    if (on_idle) on_idle();
  }
  void passivate(Hosted* object) override { tell(object != nullptr ? "rests" : "rests unmade"); }

  bool tell(const char* what, bool result = true) {
    object_serving::Counter::events.emplace_back(what);
    return result;
  }
  std::optional<int> restored;
  bool begins = true, refuses_new = false, refuses_reply = false, idles_soon = false;
  std::function<void()> on_idle;
};

class ObjectLifeTest : public ObjectServing {
 protected:
  ObjectLifeTest() { server.set_life(life); }
  [[nodiscard]] bool said_that_it_rests() {
    const auto told = mine.told();
    const auto* bye = told ? control::get_if<control::Bye>(&*told) : nullptr;
    return bye != nullptr && bye->resting;
  }
  FakeLife life;
};

TEST_F(ObjectLifeTest, IsAskedInTheOrderOfTheObjectsLife) {
  construct(10);
  add(1);
  ask(wire::frame_kind::save, nullptr);
  destroy();
  server.serve();
  EXPECT_THAT(answers(), ElementsAre("reply 1", "reply 2: 11", "reply 3", "reply 4"));
  EXPECT_THAT(Counter::events, ElementsAre("begin", "made", "constructed", "add", "before reply", "save", "destroyed", "destroyed"))
      << "the object, then its life; a reply to what is no method concerns nobody";
  EXPECT_FALSE(said_that_it_rests());
}

TEST_F(ObjectLifeTest, ARestoredObjectServesAtOnce) {
  life.restored = 40;
  add(2);
  destroy();
  server.serve();
  EXPECT_THAT(answers(), ElementsAre("reply 1: 42", "reply 2"));
}

TEST_F(ObjectLifeTest, WhatCannotBeRestoredServesNothingAndKeepsItsName) {
  life.begins = false;
  add(1);
  server.serve();
  EXPECT_THAT(answers(), ElementsAre());
  EXPECT_THAT(Counter::events, ElementsAre("begin", "rests unmade"));
  EXPECT_TRUE(said_that_it_rests());
}

TEST_F(ObjectLifeTest, WhatCannotBeSavedWasNotConstructed) {
  life.refuses_new = true;
  construct(10);
  server.serve();
  EXPECT_THAT(answers(), ElementsAre(HasSubstr("error 1: no room for its state")));
  EXPECT_THAT(Counter::events, ElementsAre("begin", "made", "constructed", "destroyed", "constructor threw"));
}

// Its name is free when the caller hears.
TEST_F(ObjectLifeTest, HearsThatTheConstructorThrew) {
  construct(-1);
  server.serve();
  EXPECT_THAT(Counter::events, ElementsAre("begin", "constructor threw"));
  EXPECT_FALSE(said_that_it_rests());
}

// Else it would wait for ever, and so would who opens its name.
TEST_F(ObjectLifeTest, OneWhoseMakerDiedBeforeItWasConstructedEnds) {
  server.peer_died();
  server.peer_died();
  server.serve();
  EXPECT_THAT(Counter::events, ElementsAre("never constructed", "begin"));
}

TEST_F(ObjectLifeTest, ADeathIsNothingToOneThatIsThere) {
  life.restored = 40;
  life.idles_soon = true;
  life.on_idle = [&] {
    server.peer_died();
    destroy();
    life.on_idle = {};
    life.idles_soon = false;
  };
  add(2);
  server.serve();
  EXPECT_THAT(answers(), ElementsAre("reply 1: 42", "reply 2"));
}

TEST_F(ObjectLifeTest, WhatItThrowsBeforeAReplyTheCallerHears) {
  life.refuses_reply = true;
  construct(10);
  add(1);
  destroy();
  server.serve();
  EXPECT_THAT(answers(), ElementsAre("reply 1", HasSubstr("error 2: the disk is full"), "reply 3"));
}

TEST_F(ObjectLifeTest, AnObjectThatIsToRestAnswersItsCallFirst) {
  construct(10);
  work([&] { mine.asked_to_passivate = true; });
  add(1);  // its caller hears that it rests, and calls the next life
  server.serve();
  EXPECT_THAT(answers(), ElementsAre("reply 1", "reply 2"));
  EXPECT_THAT(Counter::events, ElementsAre("begin", "made", "constructed", "work", "before reply", "rests"));
  EXPECT_TRUE(said_that_it_rests());
}

TEST_F(ObjectLifeTest, WhatIsNotMadeYetDoesNotRest) {
  mine.asked_to_passivate = true;
  construct(10);
  server.serve();
  EXPECT_THAT(answers(), ElementsAre("reply 1"));
  EXPECT_EQ(Counter::events.back(), "rests");
}

TEST_F(ObjectLifeTest, HearsThatItsObjectIdles) {
  life.idles_soon = true;
  life.on_idle = [&] { mine.asked_to_passivate = true; };
  construct(10);
  server.serve();
  EXPECT_THAT(Counter::events, ElementsAre("begin", "made", "constructed", "idles", "rests"));
}

TEST_F(ObjectLifeTest, WhereSomethingIsUnderWayTheObjectDoesNotIdle) {
  life.idles_soon = true;
  parts.is_idle = false;
  construct(10);
  int polls = 0;
  life.on_idle = [&] { ADD_FAILURE() << "it is not idle"; };
  parts.on_idle_asked = [&] {
    if (++polls == 3) destroy();
  };
  server.serve();
  EXPECT_EQ(polls, 3);
}

}  // namespace
}  // namespace octavo::detail
