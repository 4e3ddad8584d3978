// SPDX-License-Identifier: Apache-2.0
// Other agents, and which of them a request is for, without links and without other agents: the test is at the far end of each.
#include "machine/agent/peers/peer_agents.hpp"

#include <gtest/gtest.h>

#include "machine/agent/peers/routes.hpp"
#include "octavo/base/error.hpp"
#include "unit/machine/agent/fake_links.hpp"
#include "unit/machine/agent/fakes.hpp"

namespace octavo::agent {
namespace {

class PeerAgentsTest : public testing::Test {
 protected:
  PeerAgent& meet(const std::string& machine, std::uint64_t id, peer_kind kind = peer_kind::machine) {
    PeerAgent& peer = peers.meet(nullptr, machine, kind);
    links.far.back()->say(talk::Hello{talk::version, id, 1, machine});
    return peer;
  }
  // Keeps the answer.
  PeerAgent::Then keep() {
    return [this](PeerAgent&, const control::Notice& said, const PeerAgent::FarEnd&) { answers.push_back(said); };
  }

  const Identity self{17, 1, "here", false, 0};
  const std::shared_ptr<fake::Requester> requester = std::make_shared<fake::Requester>(Address{17, 1, 2});
  fake::Links links;
  std::vector<talk::ForwardedRequest> requested;
  std::vector<Obituary> deaths_told;
  std::vector<std::string> lost;
  std::vector<control::Notice> answers;
  bool asked_again = false;
  DeathRegister deaths{[](const Listener&, const Obituary&) {}};
  PeerAgents peers{self,
                   deaths,
                   [](const std::function<void()>& work) { work(); },
                   links.open,
                   {.requested = [this](PeerAgent&, const talk::ForwardedRequest& request, const Fd&) { requested.push_back(request); },
                    .died = [this](const Obituary& obituary) { deaths_told.push_back(obituary); },
                    .lost = [this](const PeerAgent& peer) { lost.push_back(peer.machine); },
                    .ask_again = [this](const PeerAgent&, const PeerAgent::Asked&) { return asked_again; }}};
  std::vector<std::string> started;
  Routes routes{self,
                peers,
                [this](const std::string& machine) -> PeerAgent& {
                  started.push_back(machine);
                  return meet(machine, 100 + started.size());
                },
                {}};
};

TEST_F(PeerAgentsTest, BothSayHello) {
  const PeerAgent& peer = meet("box", 18);
  EXPECT_EQ(peer.id, 18U);
  ASSERT_NE(links.far[0]->last<talk::Hello>(), nullptr);
  EXPECT_EQ(links.far[0]->last<talk::Hello>()->agent, 17U);
}

TEST_F(PeerAgentsTest, AnAgentOfAnotherVersionIsLost) {
  peers.meet(nullptr, "old", peer_kind::machine);
  links.far[0]->say(talk::Hello{talk::version + 1, 18, 1, "old"});
  EXPECT_EQ(lost, std::vector<std::string>{"old"});
  EXPECT_TRUE(peers.all().empty());
}

TEST_F(PeerAgentsTest, AnAgentThatSaysNonsenseIsLost) {
  meet("box", 18);
  links.far[0]->events.control(std::vector<std::byte>(40, std::byte{7}), {});
  EXPECT_EQ(lost, std::vector<std::string>{"box"});
}

TEST_F(PeerAgentsTest, WhereALinkCannotBeOpenedNothingIsLeftBehind) {
  links.open = {};
  PeerAgents broken(self, deaths, {}, [](std::unique_ptr<road::Link>, road::RelayEvents) -> std::unique_ptr<AgentLink> { throw io_error("of this test"); }, {});
  EXPECT_THROW(broken.meet(nullptr, "box", peer_kind::machine), io_error);
  EXPECT_TRUE(broken.all().empty());
}

// What came over it is still given to the processes here, which may be slow.
TEST_F(PeerAgentsTest, ALostLinkLastsAsLongAsItsChannels) {
  PeerAgent& slow = meet("slow", 18);
  links.far[0]->carries = true;
  peers.lose(slow, "of this test");
  EXPECT_EQ(lost, std::vector<std::string>{"slow"});
  EXPECT_FALSE(links.far[0]->is_closed);
  peers.lose(meet("box", 19), "of this test");
  EXPECT_TRUE(links.far[1]->is_closed) << "it has none";
  links.far[0]->carries = false;
  links.far[0]->events.ended(7);
  EXPECT_TRUE(links.far[0]->is_closed);
}

TEST_F(PeerAgentsTest, EachRequestGetsItsOwnAnswerOnce) {
  PeerAgent& peer = meet("box", 18);
  peers.ask(peer, requester, control::List{}, keep());
  const auto first = links.far[0]->last<talk::ForwardedRequest>()->request;
  peers.ask(peer, requester, control::Kill{}, keep());
  links.far[0]->say(talk::ForwardedReply{first, control::Listing{}});
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_NE(control::get_if<control::Listing>(&answers[0]), nullptr);
  links.far[0]->say(talk::ForwardedReply{first, control::Listing{}});
  EXPECT_EQ(answers.size(), 1U);
}

TEST_F(PeerAgentsTest, WhatAnotherAgentAsksAndTellsIsPassedOn) {
  meet("box", 18);
  links.far[0]->say(talk::ForwardedRequest{5, 2, {}, control::List{}});
  ASSERT_EQ(requested.size(), 1U);
  EXPECT_EQ(requested[0].channel, 2U);
  links.far[0]->say(talk::Died{});
  EXPECT_EQ(deaths_told.size(), 1U);
}

TEST_F(PeerAgentsTest, TheDeathOfAnEarlierLifeDoesNotEndThePresentOne) {
  PeerAgent& peer = meet("box", 18);
  ProcessFacts there;
  there.address = {18, 0, 4};
  there.pid = 101;
  peer.theirs.emplace(there.address, there);
  Obituary death;
  death.facts = there;
  death.facts.pid = 100;
  links.far[0]->say(talk::Died{death});
  EXPECT_TRUE(peer.theirs.contains(there.address));
  death.facts.pid = 101;
  links.far[0]->say(talk::Died{death});
  EXPECT_FALSE(peer.theirs.contains(there.address));
}

TEST_F(PeerAgentsTest, WhoseLinkIsLostEverythingThereIsDead) {
  PeerAgent& peer = meet("box", 18);
  ProcessFacts there;
  there.address = {18, 1, 4};
  peer.theirs.emplace(there.address, there);
  peers.ask(peer, requester, control::List{}, keep());
  links.far[0]->events.lost("a cable was cut");
  ASSERT_EQ(deaths_told.size(), 1U);
  EXPECT_EQ(deaths_told[0].machine_lost, "a cable was cut");
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_EQ(control::get_if<control::Failed>(&answers[0])->kind, error_kind::gone);
}

// A program that was stopped for long, and one that a lost lasting agent had led to.
TEST_F(PeerAgentsTest, WhatWasLostWithAnAgentThatIsThereAgainLives) {
  Obituary of_guest, of_another;
  of_guest.facts.address = {18, 1, 4}, of_another.facts.address = {19, 1, 4};
  of_guest.machine_lost = of_another.machine_lost = "of this test";
  deaths.enter(of_guest);
  deaths.enter(of_another);
  PeerAgent& lasting = meet("here, lasting", 30, peer_kind::daemon);
  lasting.theirs.emplace(of_another.facts.address, of_another.facts);
  EXPECT_NE(deaths.find(of_guest.facts), nullptr);
  meet("box", 18, peer_kind::guest);
  EXPECT_EQ(deaths.find(of_guest.facts), nullptr);
  links.far[0]->events.lost("it was killed");
  EXPECT_EQ(deaths_told.size(), 1U);
  EXPECT_EQ(deaths.find(of_another.facts), nullptr) << "the next one may lead there";
  EXPECT_FALSE(routes.agent(19)) << "and is waited for";
  const PeerAgent& next = meet("here, lasting", 31, peer_kind::daemon);
  EXPECT_EQ(routes.agent(19), &next);
}

TEST_F(PeerAgentsTest, ARequestThatIsAskedAgainIsNotAnswered) {
  PeerAgent& peer = meet("here", 18, peer_kind::daemon);
  peers.ask(peer, requester, control::Open{}, keep());
  asked_again = true;
  links.far[0]->events.lost("it ended");
  EXPECT_TRUE(answers.empty());
}

TEST_F(PeerAgentsTest, ToEndALastingAgentIsDoneWhenItsLinkEnds) {
  PeerAgent& peer = meet("here", 18, peer_kind::daemon);
  peers.ask(peer, requester, control::EndLasting{}, keep());
  links.far[0]->events.lost("it ended");
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_NE(control::get_if<control::Done>(&answers[0]), nullptr);
}

TEST_F(PeerAgentsTest, WhoAskedForADeadProcessHearsOfItsDeath) {
  PeerAgent& peer = meet("box", 18);
  Obituary obituary;
  obituary.facts.address = {18, 1, 4};
  deaths.enter(obituary);
  peers.ask(peer, requester, control::Connect{0, {18, 1, 4}}, keep());
  links.far[0]->events.lost("it ended");
  ASSERT_EQ(answers.size(), 1U);
  EXPECT_TRUE(control::get_if<control::Failed>(&answers[0])->obituary);
}

TEST_F(PeerAgentsTest, AMachineIsStartedOnce) {
  EXPECT_EQ(routes.machine("here"), Routes::To(nullptr));
  EXPECT_EQ(routes.machine(""), Routes::To(nullptr));
  PeerAgent* first = *routes.machine("box");
  EXPECT_EQ(*routes.machine("box"), first);
  EXPECT_EQ(started, std::vector<std::string>{"box"});
  EXPECT_EQ(*routes.agent(first->id), first);
}

TEST_F(PeerAgentsTest, WithoutAnEngineThereAreNoOtherMachines) {
  const Routes alone(self, peers, {}, {});
  EXPECT_THROW(static_cast<void>(alone.machine("box")), usage_error);
  EXPECT_THROW(static_cast<void>(alone.agent(99)), gone_error);
}

TEST_F(PeerAgentsTest, TheLastingAgentLeadsToOtherPrograms) {
  PeerAgent& daemon = meet("here", 18, peer_kind::daemon);
  EXPECT_EQ(*routes.agent(99), &daemon);
}

TEST_F(PeerAgentsTest, TheHubLeadsToAllOthers) {
  PeerAgent& hub = meet("the hub", 1, peer_kind::hub);
  EXPECT_EQ(*routes.machine("box"), &hub);
  EXPECT_EQ(*routes.agent(99), &hub);
  EXPECT_TRUE(started.empty());
}

TEST_F(PeerAgentsTest, NamesOfThisMachineAreWithItsLastingAgent) {
  EXPECT_FALSE(routes.names_of("here")) << "it is still to be reached";
  PeerAgent& daemon = meet("here", 18, peer_kind::daemon);
  EXPECT_EQ(*routes.names_of("here"), &daemon);
  EXPECT_EQ(*routes.named({18, 0, 5}, nullptr), &daemon);
}

TEST_F(PeerAgentsTest, AnAddressOfALastingAgentIsLookedForWhereItWasMet) {
  PeerAgent& box = meet("box", 18);
  peers.ask(box, requester, control::Open{}, keep());
  control::Connected made;
  made.peer.address = {44, 0, 5};
  links.far[0]->say(talk::ForwardedReply{1, made});
  EXPECT_EQ(*routes.named({44, 0, 5}, nullptr), &box);
}

}  // namespace
}  // namespace octavo::agent
