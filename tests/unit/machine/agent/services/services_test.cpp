// SPDX-License-Identifier: Apache-2.0
// What is asked of an agent, service by service, with processes and links of the test: no agent, and no child process.
#include "machine/agent/services/services.hpp"

#include <gtest/gtest.h>

#include "octavo/base/error.hpp"
#include "unit/machine/agent/fake_peers.hpp"

namespace octavo::agent {
namespace {

class ServicesTest : public fake::PeersTest {
 protected:
  ServicesTest() : fake::PeersTest(2) {}
  // What this process hears of its request.
  std::shared_ptr<fake::Requester> ask(const control::Notice& request, PeerAgent* from = nullptr) {
    auto requester =
        from == nullptr ? std::make_shared<fake::Requester>(one.facts.address, &one) : std::make_shared<fake::Requester>(Address{18, 1, 4}, nullptr, from);
    services.take(requester, request);
    return requester;
  }

  Watches watches{self, deaths, processes, peers, routes};
  Passivation passivation{deaths, processes, peers};
  std::vector<std::string> started;
  bool daemon_is_there = false;
  Fd memory = LockWords::make();
  EventLoop events;
  LifeService life{self,
                   processes,
                   peers,
                   routes,
                   nullptr,
                   events,
                   [this](const ForkServers::Command& command, const std::vector<std::string>&) -> spawn::Started {
                     started.push_back("fork server: " + command.front());
                     throw io_error("there is none");
                   },
                   [this](const std::vector<std::string>& command, const std::string& title, const std::string&, const std::vector<std::string>&) {
                     started.push_back(command.front() + " " + title);
                     return spawn::Started{};
                   }};
  IntroductionService introductions{self, processes, deaths, routes, watches, passivation, nullptr};
  NameService names{routes, passivation, nullptr, {.daemon_is_there = [this] { return daemon_is_there; }, .retire = [] { FAIL(); }}};
  Mailboxes mailboxes{nullptr, routes, peers, deaths};
  Locks locks{processes, memory, [](std::uint64_t) { return true; }};
  Segments segments{[](const wire::PageRef&) { return true; }};
  Channels channels{routes, deaths, false};
  HomeLocks home_locks{false, routes, peers, deaths};
  HomeSegments home_segments{self, routes, peers, deaths};
  Services services{life, introductions, names, mailboxes, locks, segments, channels, home_locks, home_segments};
  Child& one = processes.add({17, 2, 2});
  Child& two = processes.add({17, 2, 3});
};

TEST_F(ServicesTest, AnObjectIsMadeInAProcess) {
  control::Spawn request;
  request.request = 1;
  request.command = {"program"};
  request.class_name = "Class";
  EXPECT_EQ(ask(request)->introduced_to.size(), 1U);
  EXPECT_EQ(started, std::vector<std::string>{"program octavo:Class"});
}

TEST_F(ServicesTest, AnObjectIsMadeByAForkServerOrWithoutOne) {
  control::Spawn request;
  request.request = 1;
  request.command = {"program"};
  request.where.fork_server = {"forks"};
  request.class_name = "Class";
  EXPECT_EQ(ask(request)->introduced_to.size(), 1U);
  EXPECT_EQ(started, (std::vector<std::string>{"fork server: forks", "program octavo:Class"}));
}

TEST_F(ServicesTest, AnObjectIsMadeOnAThreadOfTheProcessThatAsks) {
  control::Spawn request;
  request.request = 1;
  request.where.on_thread = true;
  const auto requester = ask(request);
  ASSERT_EQ(requester->introduced_to.size(), 1U);
  EXPECT_EQ(requester->introduced_to[0]->host, 2U);
  EXPECT_NE(processes.last<control::Host>(2), nullptr);
  EXPECT_NE(ask(request, &meet())->last<control::Failed>(), nullptr) << "not for another machine";
}

TEST_F(ServicesTest, AnObjectOnAnotherMachineIsItsAgentsAffair) {
  PeerAgent& box = meet();
  control::Spawn request;
  request.where.machine = "box";
  EXPECT_EQ(ask(request)->handed_to, std::vector{&box});
  request.where.machine = "nowhere";
  request.request = 1;
  EXPECT_NE(ask(request)->last<control::Failed>(), nullptr);
}

TEST_F(ServicesTest, ANameWaitsForTheLastingAgent) {
  control::Spawn request;
  request.where.name = "a";
  static_cast<void>(ask(request));
  static_cast<void>(ask(control::Open{1, "", "a", {}, {}, {}}));
  static_cast<void>(ask(control::Names{1, "", ""}));
  EXPECT_EQ(postponed, 3);
}

TEST_F(ServicesTest, WhereNoLastingAgentIsNoneHasToEnd) {
  EXPECT_NE(ask(control::EndLasting{1, ""})->last<control::Done>(), nullptr);
  daemon_is_there = true;
  EXPECT_TRUE(ask(control::EndLasting{1, ""})->answers.empty());
  EXPECT_EQ(postponed, 1);
}

TEST_F(ServicesTest, OnlyProcessesCanBeKilled) {
  EXPECT_EQ(ask(control::Kill{1, {17, 2, 99}, 9})->last<control::Failed>()->kind, error_kind::gone);
  EXPECT_EQ(ask(control::Kill{1, two.facts.address, 9})->last<control::Failed>()->kind, error_kind::usage);
}

TEST_F(ServicesTest, AListIsOfAllMachinesThatAnswer) {
  meet();
  const auto requester = ask(control::List{1});
  EXPECT_TRUE(requester->answers.empty());
  links.far[0]->say(talk::ForwardedReply{1, control::Listing{0, std::vector<ProcessFacts>(3)}});
  ASSERT_NE(requester->last<control::Listing>(), nullptr);
  EXPECT_EQ(requester->last<control::Listing>()->processes.size(), 6U) << "this agent, two processes, and three of the other machine";
}

TEST_F(ServicesTest, TheFactsAreOfTheMachineThatIsAsked) {
  ASSERT_NE(ask(control::AskFacts{1, "here"})->last<control::Facts>(), nullptr);
  EXPECT_EQ(ask(control::AskFacts{1, ""})->last<control::Facts>()->facts.name, "here");
}

TEST_F(ServicesTest, AByeIsOfTheProcessThatSaysIt) {
  EXPECT_TRUE(ask(control::Bye{true})->answers.empty());
  EXPECT_TRUE(one.said_bye && one.resting);
  EXPECT_NE(ask(control::Bye{false, 3})->last<control::Done>(), nullptr) << "where it is a request";
  EXPECT_FALSE(one.resting);
  services.take_last_word(two, control::Bye{false});
  EXPECT_TRUE(two.said_bye && !two.resting);
}

TEST_F(ServicesTest, OnlyWhatADeadProcessSaysOfItselfIsHeard) {
  services.take_last_word(two, control::Kill{1, one.facts.address, 9});
  services.take_last_word(two, control::EndLasting{1, ""});
  services.take_last_word(two, control::Connect{1, one.facts.address});
  EXPECT_TRUE(processes.told.empty());
}

TEST_F(ServicesTest, WhereNobodyWaitsForAnAnswerWhatIsWrongIsThrownOn) {
  const auto requester = std::make_shared<fake::Requester>(one.facts.address, &one);
  EXPECT_THROW(services.take(requester, control::Listing{}), usage_error);
  EXPECT_TRUE(requester->answers.empty());
}

TEST_F(ServicesTest, AProcessIsConnectedWithOneThatLives) { EXPECT_EQ(ask(control::Connect{1, two.facts.address})->introduced_to, std::vector{&two}); }

TEST_F(ServicesTest, WhyThereIsNoConnectionIsSaid) {
  Obituary obituary;
  obituary.facts.address = {17, 2, 50};
  deaths.enter(obituary);
  EXPECT_TRUE(ask(control::Connect{1, {17, 2, 50}})->last<control::Failed>()->obituary);
  EXPECT_NE(ask(control::Connect{1, {17, 1, 3}})->last<control::Failed>()->message.find("earlier life"), std::string::npos);
  EXPECT_NE(ask(control::Connect{1, {17, 2, 51}})->last<control::Failed>()->message.find("never was"), std::string::npos);
  EXPECT_EQ(ask(control::Connect{1, {99, 1, 3}})->last<control::Failed>()->kind, error_kind::gone);
}

TEST_F(ServicesTest, AProcessOfAnotherMachineIsItsAgentsAffair) {
  PeerAgent& box = meet();
  EXPECT_EQ(ask(control::Connect{1, {18, 1, 7}})->handed_to, std::vector{&box});
  EXPECT_EQ(ask(control::Kill{1, {18, 1, 7}, 9})->handed_to, std::vector{&box});
}

TEST_F(ServicesTest, WhatAgentsTellProcessesIsRefused) {
  for (const control::Notice& told :
       {control::Notice(control::Listing{1, {}}), control::Notice(control::Connected{1, {}, 0, 0, 0, {}, 0}), control::Notice(control::NameList{1, {}}),
        control::Notice(control::MailboxAt{1, {}}), control::Notice(control::SegmentAt{1, {}}), control::Notice(control::Done{1})})
    EXPECT_NE(ask(told)->last<control::Failed>(), nullptr) << told.index();
}

TEST_F(ServicesTest, WhatOnlyOwnProcessesSayIsRefusedToAnotherAgent) {
  PeerAgent& box = meet();
  for (const control::Notice& said :
       {control::Notice(control::Bye{}), control::Notice(control::Ready{}), control::Notice(control::OpenLock{}), control::Notice(control::OpenSegment{})})
    EXPECT_NE(ask(said, &box)->last<control::Failed>(), nullptr) << said.index();
}

}  // namespace
}  // namespace octavo::agent
