// SPDX-License-Identifier: Apache-2.0
// Links between agents that are not the program's (SI-1 to SI-4): when one is made, what waits for it, and what is told of one that is lost.
#include "machine/agent/siblings/siblings.hpp"

#include <gmock/gmock.h>

#include "machine/obituary.hpp"
#include "unit/machine/agent/fake_links.hpp"
#include "unit/machine/agent/fakes.hpp"

namespace octavo::agent {
namespace {

using talk::about_siblings;

// The test is the network.
class Ways final : public SiblingWays {
 public:
  void invite(Ready ready, Came came) override { invited.push_back({std::move(ready), std::move(came)}); }
  void call(const Place& place, Came came) override { called.push_back({place, std::move(came)}); }
  struct Invited {
    Ready ready;
    Came came;
  };
  struct Called {
    Place place;
    Came came;
  };
  std::vector<Invited> invited;
  std::vector<Called> called;
};

// Agent 17, "here", of a machine of the program whose agent is 1.
class SiblingsTest : public testing::Test {
 protected:
  static constexpr std::uint64_t higher = 18, lower = 16;
  std::shared_ptr<fake::Requester> ask(std::uint64_t agent) {
    auto requester = std::make_shared<fake::Requester>(Address{17, 1, 2});
    const control::Connect request{0, {agent, 1, 4}};
    if (!siblings.forward(requester, request)) by_hub.push_back(requester);
    return requester;
  }
  void say(about_siblings what, std::uint64_t from, const std::string& why = {}) {
    siblings.hear(hub, talk::Siblings{what, from, 17, "box", "tls://10.0.0.9:1", {}, why});
  }
  // What the hub was told last.
  about_siblings told() const { return links.far[0]->last<talk::Siblings>()->what; }
  // A link with the higher one, which carries a conversation of process 2 here with process 4 there.
  PeerAgent& up() {
    ask(higher);
    say(about_siblings::come, higher);
    ways->called.back().came(nullptr, {});
    PeerAgent& there = *peers.sibling(higher);
    ProcessFacts facts;
    facts.address = {higher, 1, 4};
    there.theirs[facts.address] = facts;
    there.talks.emplace(facts.address, 2);
    return there;
  }

  const Identity self{17, 1, "here", false, 0};
  fake::Links links;
  DeathRegister deaths{[](const Listener&, const Obituary&) {}};
  PeerAgents peers{self,
                   deaths,
                   [](const std::function<void()>& work) { work(); },
                   links.open,
                   {.requested = {},
                    .died = [](const Obituary&) {},
                    .lost = [](const PeerAgent&) {},
                    .ask_again = [](const auto&, const auto&) { return false; },
                    .sibling_lost = [this](std::shared_ptr<PeerAgent> lost) { siblings.hear_lost(std::move(lost)); }}};
  std::shared_ptr<Ways> ways = std::make_shared<Ways>();
  std::vector<RequesterPtr> by_hub;
  std::vector<std::pair<std::uint64_t, Obituary>> unreached;
  std::vector<Obituary> died;
  Siblings siblings{self,
                    peers,
                    ways,
                    [](const std::function<void()>& work) { work(); },
                    {.fulfil =
                         [this](const RequesterPtr& requester, const control::Notice& request) {
                           if (!siblings.forward(requester, *control::get_if<control::Connect>(&request))) by_hub.push_back(requester);
                         },
                     .unreached = [this](std::uint64_t object, const Obituary& of) { unreached.emplace_back(object, of); },
                     .died = [this](const Obituary& of) { died.push_back(of); }}};
  PeerAgent& hub = [this]() -> PeerAgent& {
    PeerAgent& its = peers.meet(nullptr, "the hub", peer_kind::hub);
    its.id = 1;
    return its;
  }();
};

TEST_F(SiblingsTest, SI2_ARequestWaitsUntilTheLinkIsThere) {
  auto first = ask(higher);
  EXPECT_EQ(told(), about_siblings::want) << "the one with the lower number calls, so the other is to listen";
  auto second = ask(higher);
  EXPECT_TRUE(first->handed_to.empty() && by_hub.empty());
  say(about_siblings::come, higher);
  ASSERT_EQ(ways->called.size(), 1U);
  EXPECT_EQ(ways->called[0].place.address, "tls://10.0.0.9:1");
  EXPECT_TRUE(first->handed_to.empty());
  ways->called[0].came(nullptr, {});
  PeerAgent* there = peers.sibling(higher);
  ASSERT_NE(there, nullptr);
  EXPECT_EQ(first->handed_to, std::vector{there});
  EXPECT_EQ(second->handed_to, std::vector{there});
  EXPECT_EQ(ask(higher)->handed_to, std::vector{there});
}

TEST_F(SiblingsTest, TheOneWithTheHigherNumberListens) {
  auto first = ask(lower);
  ASSERT_EQ(ways->invited.size(), 1U);
  ways->invited[0].ready({"tls://10.0.0.2:7", {}}, {});
  EXPECT_EQ(told(), about_siblings::come);
  say(about_siblings::want, lower);
  EXPECT_EQ(ways->invited.size(), 1U) << "it wanted the same at the same time";
  ways->invited[0].came(nullptr, {});
  EXPECT_EQ(first->handed_to, std::vector{peers.sibling(lower)});
}

TEST_F(SiblingsTest, SI2_WhereNoLinkComesItGoesByTheHubAndNoneIsTriedAtOnce) {
  auto first = ask(higher);
  say(about_siblings::come, higher);
  ways->called[0].came(nullptr, "a firewall");
  EXPECT_EQ(by_hub, std::vector<RequesterPtr>{first});
  EXPECT_EQ(told(), about_siblings::none) << "the other waits no more";
  ask(higher);
  EXPECT_EQ(by_hub.size(), 2U);
  EXPECT_EQ(ways->called.size(), 1U);
  ask(lower);
  ways->invited[0].ready({}, "it listens nowhere");
  EXPECT_EQ(by_hub.size(), 3U);
  EXPECT_EQ(told(), about_siblings::none);
}

TEST_F(SiblingsTest, WhatComesTooLateIsNotTaken) {
  ask(higher);
  say(about_siblings::come, higher);
  say(about_siblings::none, higher, "it has thought again");
  EXPECT_EQ(by_hub.size(), 1U);
  ways->called[0].came(nullptr, {});
  EXPECT_EQ(peers.sibling(higher), nullptr);
}

TEST_F(SiblingsTest, SI1_OnlyItIsAskedWhoseRequestItIs) {
  control::Connect lasting{0, {higher, 0, 4}}, own{0, {17, 1, 4}}, program{0, {1, 1, 1}};
  auto requester = std::make_shared<fake::Requester>(Address{17, 1, 2});
  for (const auto& each : {lasting, own, program}) EXPECT_FALSE(siblings.forward(requester, each));
  auto passed_on = std::make_shared<fake::Requester>(Address{1, 1, 1}, nullptr, &hub);
  EXPECT_FALSE(siblings.forward(passed_on, {0, {higher, 1, 4}})) << "else it would go round";
  EXPECT_TRUE(ways->called.empty() && ways->invited.empty());
  up();
  EXPECT_EQ(peers.of_agent(higher), nullptr);
  EXPECT_EQ(peers.all().size(), 1U) << "the hub";
}

TEST_F(SiblingsTest, SI3_OfALinkThatIsLostNothingIsSaidBeforeTheOtherHasAnswered) {
  peers.lose(up(), "a cable");
  EXPECT_EQ(told(), about_siblings::broken);
  EXPECT_TRUE(unreached.empty() && died.empty());
  say(about_siblings::lives, higher);
  ASSERT_EQ(unreached.size(), 1U);
  EXPECT_EQ(unreached[0].first, 2U);
  EXPECT_THAT(unreached[0].second.text(), testing::HasSubstr("machine box may live, but is not reached from here: a cable"));
  EXPECT_TRUE(died.empty());
  say(about_siblings::lives, higher);
  EXPECT_EQ(unreached.size(), 1U);
}

TEST_F(SiblingsTest, SI3_ALinkThatTheOtherHasLostIsLostHereToo) {
  up();
  say(about_siblings::broken, higher, "a cable");
  EXPECT_EQ(peers.sibling(higher), nullptr);
  EXPECT_EQ(unreached.size(), 1U) << "what it says shows that it lives";
}

TEST_F(SiblingsTest, SI3_IfTheHubSaysThatItIsGoneItsProcessesAreDead) {
  peers.lose(up(), "the other side is gone");
  say(about_siblings::lost, higher, "it was killed");
  ASSERT_EQ(died.size(), 1U);
  EXPECT_EQ(died[0].machine_lost, "it was killed");
  EXPECT_TRUE(unreached.empty());
}

TEST_F(SiblingsTest, SI3_TheHubMayKnowItFirst) {
  up();
  say(about_siblings::lost, higher, "it was killed");
  EXPECT_EQ(peers.sibling(higher), nullptr);
  EXPECT_EQ(died.size(), 1U);
  EXPECT_TRUE(unreached.empty());
}

TEST_F(SiblingsTest, SI3_AWishThatCrossedWithTheLinkTakesNothingAway) {
  ask(lower);
  ways->invited[0].ready({"tls://10.0.0.2:7", {}}, {});
  ways->invited[0].came(nullptr, {});
  say(about_siblings::want, lower);
  EXPECT_NE(peers.sibling(lower), nullptr);
  EXPECT_EQ(ways->invited.size(), 1U);
  peers.lose(*peers.sibling(lower), "a cable");
  say(about_siblings::want, lower);
  EXPECT_EQ(ways->invited.size(), 1U) << "it may have said that before it ended";
  say(about_siblings::lives, lower);
  EXPECT_EQ(ways->invited.size(), 2U);
}

TEST_F(SiblingsTest, SI4_WhatWasNotAnsweredIsAskedAgain) {
  PeerAgent& there = up();
  auto waiting = std::make_shared<fake::Requester>(Address{17, 1, 2});
  peers.ask(there, waiting, control::Connect{0, {higher, 1, 5}}, [](PeerAgent&, const control::Notice&, const PeerAgent::FarEnd&) { FAIL(); });
  peers.lose(there, "a cable");
  EXPECT_TRUE(by_hub.empty());
  say(about_siblings::lost, higher, "it was killed");
  EXPECT_EQ(by_hub, std::vector<RequesterPtr>{waiting});
}

TEST_F(SiblingsTest, WithoutWaysItSaysSo) {
  Siblings none(self, peers, nullptr, [](const std::function<void()>& work) { work(); }, {});
  auto requester = std::make_shared<fake::Requester>(Address{17, 1, 2});
  EXPECT_FALSE(none.forward(requester, {0, {higher, 1, 4}}));
  none.hear(hub, talk::Siblings{about_siblings::want, higher, 17, "box", {}, {}, {}});
  EXPECT_EQ(told(), about_siblings::none);
}

// At the program's agent.
TEST(SiblingsAtTheHub, ItPassesOnWhatMachinesSayAndAnswersForTheLost) {
  const Identity self{1, 1, "the program's", false, 0};
  fake::Links links;
  DeathRegister deaths{[](const Listener&, const Obituary&) {}};
  PeerAgents peers{self, deaths, [](const std::function<void()>& work) { work(); }, links.open, {}};
  Siblings siblings(self, peers, nullptr, [](const std::function<void()>& work) { work(); }, {});
  PeerAgent& box = peers.meet(nullptr, "box", peer_kind::machine);
  PeerAgent& attic = peers.meet(nullptr, "attic", peer_kind::machine);
  box.id = 17;
  attic.id = 18;
  siblings.hear(box, talk::Siblings{about_siblings::come, 99, 18, "it lies", "tls://10.0.0.2:7", {}, {}});
  const auto* passed = links.far[1]->last<talk::Siblings>();
  ASSERT_NE(passed, nullptr);
  EXPECT_EQ(passed->from, 17U) << "whoever it says that it is";
  EXPECT_EQ(passed->machine, "box");
  EXPECT_EQ(passed->address, "tls://10.0.0.2:7");
  siblings.hear(box, talk::Siblings{about_siblings::want, 17, 19, {}, {}, {}, {}});
  EXPECT_EQ(links.far[0]->last<talk::Siblings>()->what, about_siblings::none);
  siblings.hear(box, talk::Siblings{about_siblings::broken, 17, 19, {}, {}, {}, "a cable"});
  EXPECT_EQ(links.far[0]->last<talk::Siblings>()->what, about_siblings::lost);
  PeerAgent lost;
  lost.id = 20;
  lost.why_lost = "it was killed";
  siblings.tell_lost(lost);
  for (const auto& each : links.far) {
    EXPECT_EQ(each->last<talk::Siblings>()->what, about_siblings::lost);
    EXPECT_EQ(each->last<talk::Siblings>()->from, 20U);
  }
}

}  // namespace
}  // namespace octavo::agent
