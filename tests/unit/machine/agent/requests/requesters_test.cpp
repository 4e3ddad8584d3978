// SPDX-License-Identifier: Apache-2.0
// The two kinds of requesters, and how each comes to its connection: with processes and links of the test.
#include "machine/agent/requests/requesters.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "octavo/base/error.hpp"
#include "unit/machine/agent/fake_peers.hpp"

namespace octavo::agent {
namespace {

class RequestersTest : public fake::PeersTest {
 protected:
  static control::Connected connected_with(const Address& who) {
    control::Connected made;
    made.peer.address = who;
    made.road = road::road_kind::net;
    return made;
  }

  Fd memory = StatusBoard::make(agent_kind::program, self.facts());
  StatusBoard board{memory};
  Requesters requesters{processes, peers, Introducer(self, processes, deaths, board, 4096)};
  Child& one = processes.add({17, 1, 2}, 1);
  Child& two = processes.add({17, 1, 3}, 2);
};

TEST_F(RequestersTest, AProcessHearsTheAnswerWithItsOwnNumber) {
  requesters.local(one, 44)->answer(control::Done{});
  ASSERT_NE(processes.last<control::Done>(2), nullptr);
  EXPECT_EQ(processes.last<control::Done>(2)->request, 44U);
}

TEST_F(RequestersTest, AProcessThatHasEndedHearsNothing) {
  const auto requester = requesters.local(one, 44);
  processes.all().erase(2);
  EXPECT_EQ(requester->child(), nullptr);
  requester->answer(control::Done{});
  requester->connect(two);
  EXPECT_TRUE(processes.told.empty());
}

TEST_F(RequestersTest, TwoProcessesAreToldOfEachOther) {
  requesters.local(one, 44)->connect(two);
  ASSERT_EQ(processes.told.size(), 2U);
  const auto* theirs = processes.last<control::Connected>(3);
  const auto* mine = processes.last<control::Connected>(2);
  ASSERT_TRUE(theirs != nullptr && mine != nullptr);
  EXPECT_EQ(mine->request, 44U);
  EXPECT_EQ(theirs->request, 0U);
  EXPECT_EQ(mine->number, theirs->number);
  EXPECT_NE(mine->side, theirs->side);
  EXPECT_EQ(processes.told[0].first, 3U) << "the other is told first: it is ready when the first call comes";
  EXPECT_EQ(deaths.connected_with(one.facts.address), std::vector{two.listener()});
  EXPECT_EQ(deaths.connected_with(two.facts.address), std::vector{one.listener()});
}

TEST_F(RequestersTest, TwoThreadsOfAProcessMeetByANumber) {
  one.facts.pid = two.facts.pid = 4711;
  requesters.local(one, 44)->connect(two);
  const auto* mine = processes.last<control::Connected>(2);
  ASSERT_NE(mine, nullptr);
  EXPECT_EQ(mine->road, road::road_kind::thread);
  EXPECT_EQ(mine->meeting, 1U);
}

TEST_F(RequestersTest, AProcessIsJoinedWithOneOfAnotherAgent) {
  PeerAgent& peer = meet(18);
  requesters.local(one, 44)->hand_to(peer, control::Connect{44, far});
  const auto* asked = links.far[0]->last<talk::ForwardedRequest>();
  ASSERT_NE(asked, nullptr);
  const auto channel = asked->channel;
  links.far[0]->say(talk::ForwardedReply{asked->request, connected_with(far)});
  EXPECT_EQ(links.far[0]->opened, std::vector{channel});
  ASSERT_NE(processes.last<control::Connected>(2), nullptr);
  EXPECT_EQ(processes.last<control::Connected>(2)->request, 44U);
  EXPECT_TRUE(peer.theirs.contains(far));
}

TEST_F(RequestersTest, AChannelForAProcessThatHasEndedIsRefused) {
  PeerAgent& peer = meet(18);
  const auto who = one.facts.address;
  requesters.local(one, 44)->hand_to(peer, control::Connect{44, far});
  processes.all().erase(2);
  links.far[0]->say(talk::ForwardedReply{1, connected_with(far)});
  EXPECT_EQ(links.far[0]->refused.size(), 1U);
  EXPECT_TRUE(links.far[0]->opened.empty());
  const auto* told = links.far[0]->last<talk::Died>();
  ASSERT_NE(told, nullptr) << "the process there was told of a connection with it";
  EXPECT_EQ(told->obituary.facts.address, who);
}

TEST_F(RequestersTest, WhatAnotherAgentRefusesTheProcessHears) {
  requesters.local(one, 44)->hand_to(meet(18), control::Connect{44, far});
  links.far[0]->say(talk::ForwardedReply{1, control::Failed{0, error_kind::gone, "no", {}, {}}});
  ASSERT_NE(processes.last<control::Failed>(2), nullptr);
  EXPECT_EQ(processes.last<control::Failed>(2)->request, 44U);
}

TEST_F(RequestersTest, ARemoteRequesterIsJoinedByItsOwnChannel) {
  PeerAgent& peer = meet(18);
  ProcessFacts asking;
  asking.address = far;
  requesters.remote(peer, {9, 5, asking, control::Connect{}})->connect(one);
  EXPECT_EQ(links.far[0]->opened, std::vector<std::uint64_t>{5});
  const auto* reply = links.far[0]->last<talk::ForwardedReply>();
  ASSERT_NE(reply, nullptr);
  EXPECT_EQ(reply->request, 9U);
  EXPECT_NE(control::get_if<control::Connected>(&reply->notice), nullptr);
}

// Between programs and the lasting agent, where the doorbell comes with the request.
class DirectRequesters : public RequestersTest {
 protected:
  PeerAgent& meet_here(std::uint64_t id, peer_kind kind) {
    PeerAgent& peer = meet(id, kind);
    links.far.back()->carries_descriptors = true;
    return peer;
  }
  static std::vector<Fd> descriptors(std::size_t count) {
    std::vector<Fd> all;
    for (std::size_t i = 0; i < count; ++i) all.emplace_back(::dup(0));
    return all;
  }
  static control::Connected directly(const Address& who) {
    auto made = connected_with(who);
    made.road = road::road_kind::shm;
    made.side = 0;
    return made;
  }
};

TEST_F(DirectRequesters, OneWhoseBellCameIsConnectedWithoutAChannel) {
  PeerAgent& peer = meet_here(18, peer_kind::guest);
  ProcessFacts asking;
  asking.address = far;
  requesters.remote(peer, {9, 5, asking, control::Connect{}}, std::move(descriptors(1)[0]))->connect(one);
  EXPECT_TRUE(links.far[0]->opened.empty());
  const auto* reply = links.far[0]->last<talk::ForwardedReply>();
  ASSERT_NE(reply, nullptr);
  EXPECT_EQ(links.far[0]->came_with, 3U);
  const auto* theirs = control::get_if<control::Connected>(&reply->notice);
  const auto* mine = processes.last<control::Connected>(2);
  ASSERT_TRUE(theirs != nullptr && mine != nullptr);
  EXPECT_EQ(mine->road, road::road_kind::shm);
  EXPECT_EQ(mine->number, 0U) << "pages go by value";
  EXPECT_EQ(theirs->peer.address, one.facts.address);
  EXPECT_NE(mine->side, theirs->side);
  EXPECT_TRUE(peer.theirs.contains(far));
  EXPECT_EQ(deaths.connected_with(far), std::vector{one.listener()});
  EXPECT_EQ(deaths.connected_with(one.facts.address), std::vector{peer.listener()});
}

TEST_F(DirectRequesters, TheBellGoesToAgentsOfThisMachineOnly) {
  PeerAgent& here = meet_here(18, peer_kind::daemon);
  PeerAgent& played = meet_here(19, peer_kind::machine);
  requesters.local(one, 44)->hand_to(here, control::Connect{44, far});
  EXPECT_EQ(links.far[0]->came_with, 1U);
  requesters.local(one, 45)->hand_to(played, control::Connect{45, far});
  EXPECT_EQ(links.far[1]->came_with, 0U);
}

TEST_F(DirectRequesters, AProcessIsToldOfWhatAnotherAgentMade) {
  PeerAgent& peer = meet_here(18, peer_kind::daemon);
  requesters.local(one, 44)->hand_to(peer, control::Connect{44, far});
  links.far[0]->say(talk::ForwardedReply{1, directly(far)}, descriptors(3));
  const auto* mine = processes.last<control::Connected>(2);
  ASSERT_NE(mine, nullptr);
  EXPECT_EQ(mine->request, 44U);
  EXPECT_EQ(mine->road, road::road_kind::shm);
  EXPECT_TRUE(links.far[0]->opened.empty());
  EXPECT_EQ(deaths.connected_with(far), std::vector{one.listener()});
  EXPECT_EQ(deaths.connected_with(one.facts.address), std::vector{peer.listener()});
}

TEST_F(DirectRequesters, DescriptorsThatFoundNoRoomAreAnError) {
  PeerAgent& peer = meet_here(18, peer_kind::daemon);
  requesters.local(one, 44)->hand_to(peer, control::Connect{44, far});
  links.far[0]->say(talk::ForwardedReply{1, directly(far)}, {});
  const auto* no = processes.last<control::Failed>(2);
  ASSERT_NE(no, nullptr);
  EXPECT_EQ(no->request, 44U);
  EXPECT_NE(no->message.find("descriptors"), std::string::npos) << no->message;
  EXPECT_TRUE(links.far[0]->refused.empty()) << "there is no channel";
}

TEST_F(DirectRequesters, OneThatHasEndedIsToldNothing) {
  PeerAgent& peer = meet_here(18, peer_kind::daemon);
  requesters.local(one, 44)->hand_to(peer, control::Connect{44, far});
  processes.all().erase(2);
  links.far[0]->say(talk::ForwardedReply{1, directly(far)}, descriptors(3));
  EXPECT_TRUE(processes.told.empty());
  EXPECT_TRUE(deaths.connected_with(far).empty());
  EXPECT_NE(links.far[0]->last<talk::Died>(), nullptr) << "the process there was told of a connection with it";
}

TEST_F(DirectRequesters, TheLastingAgentPassesTheBellAndTheAnswerOn) {
  PeerAgent& from = meet_here(18, peer_kind::guest);
  PeerAgent& beyond = meet_here(19, peer_kind::guest);
  ProcessFacts asking;
  asking.address = far;
  const Address other{19, 1, 6};
  requesters.remote(from, {9, 5, asking, control::Connect{}}, std::move(descriptors(1)[0]))->hand_to(beyond, control::Connect{0, other});
  EXPECT_EQ(links.far[1]->came_with, 1U);
  links.far[1]->say(talk::ForwardedReply{1, directly(other)}, descriptors(3));
  EXPECT_TRUE(links.far[0]->opened.empty());
  EXPECT_TRUE(links.far[1]->opened.empty());
  EXPECT_EQ(links.far[0]->came_with, 3U);
  EXPECT_EQ(deaths.connected_with(far), std::vector{beyond.listener()});
  EXPECT_EQ(deaths.connected_with(other), std::vector{from.listener()});
}

// Its program's link is lost as the connection is made.
class RequestersWhoseLinkIsLost : public DirectRequesters {
 protected:
  // What the other agent, which has made the connection, is told then.
  template <class Meanwhile>
  const talk::Died* told_after(Meanwhile meanwhile) {
    PeerAgent& from = meet_here(18, peer_kind::guest);
    PeerAgent& beyond = meet_here(19, peer_kind::guest);
    ProcessFacts asking;
    asking.address = far;
    const Address other{19, 1, 6};
    requesters.remote(from, {9, 5, asking, control::Connect{}}, std::move(descriptors(1)[0]))->hand_to(beyond, control::Connect{0, other});
    links.far[0]->events.lost("of this test");
    meanwhile();
    links.far[1]->say(talk::ForwardedReply{1, directly(other)}, descriptors(3));
    return links.far[1]->last<talk::Died>();
  }
};

TEST_F(RequestersWhoseLinkIsLost, TheOtherSideHearsOfIt) {
  const auto* told = told_after([] {});
  ASSERT_NE(told, nullptr);
  EXPECT_EQ(told->obituary.facts.address, far);
  EXPECT_FALSE(told->obituary.machine_lost.empty());
}

TEST_F(RequestersWhoseLinkIsLost, OneWhoseProgramIsThereAgainIsNotCalledDead) {
  EXPECT_EQ(told_after([this] { meet_here(18, peer_kind::guest); }), nullptr);
}

// The program beyond has it from another machine.
TEST_F(DirectRequesters, AChannelIsCarriedOnWhereTheAnswerNamesOne) {
  PeerAgent& from = meet_here(18, peer_kind::guest);
  PeerAgent& beyond = meet_here(19, peer_kind::guest);
  ProcessFacts asking;
  asking.address = far;
  requesters.remote(from, {9, 5, asking, control::Connect{}}, std::move(descriptors(1)[0]))->hand_to(beyond, control::Connect{0, {20, 1, 6}});
  links.far[1]->say(talk::ForwardedReply{1, connected_with({20, 1, 6})});
  EXPECT_EQ(links.far[0]->opened, std::vector<std::uint64_t>{5});
  EXPECT_EQ(links.far[1]->opened, std::vector<std::uint64_t>{1});
}

TEST_F(RequestersTest, TheHubCarriesAChannelOn) {
  PeerAgent& from = meet(18);
  PeerAgent& beyond = meet(19);
  ProcessFacts asking;
  asking.address = far;
  requesters.remote(from, {9, 5, asking, control::Connect{}})->hand_to(beyond, control::Connect{0, {19, 1, 6}});
  links.far[1]->say(talk::ForwardedReply{1, connected_with({19, 1, 6})});
  EXPECT_EQ(links.far[0]->opened, std::vector<std::uint64_t>{5});
  EXPECT_EQ(links.far[1]->opened, std::vector<std::uint64_t>{1});
  EXPECT_TRUE(from.theirs.contains(far));
  EXPECT_EQ(deaths.connected_with(far), std::vector{beyond.listener()});
  EXPECT_THROW(requesters.remote(from, {10, 7, asking, control::Connect{}})->hand_to(from, control::Connect{}), gone_error);
}

TEST_F(RequestersTest, ARequesterOfALostAgentHearsNothing) {
  PeerAgent& peer = meet(18);
  const auto requester = requesters.remote(peer, {9, 5, {}, control::List{}});
  const auto heard = links.far[0]->heard.size();
  links.far[0]->events.lost("of this test");
  EXPECT_EQ(requester->peer(), nullptr);
  requester->answer(control::Done{});
  EXPECT_EQ(links.far[0]->heard.size(), heard);
}

}  // namespace
}  // namespace octavo::agent
