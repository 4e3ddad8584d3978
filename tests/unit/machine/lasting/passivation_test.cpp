// SPDX-License-Identifier: Apache-2.0
// Disconnecting from an object that nobody calls, with processes and links of the test.
#include "machine/lasting/passivation.hpp"

#include <gtest/gtest.h>

#include <optional>

#include "unit/machine/agent/fake_peers.hpp"

namespace octavo::agent {
namespace {

class PassivationTest : public fake::PeersTest {
 protected:
  PassivationTest() : fake::PeersTest(1, true) {
    object.named = std::make_unique<Named>();
    object.named->ready = true;
    deaths.connect(caller.listener(), object.facts.address);
  }
  void idle() {
    passivation.idle(requester, object, [this](Child& child) { rested.push_back(child.facts.address.object); });
  }
  void answer(bool all) {
    const auto* part = processes.last<control::Disconnect>(caller.facts.address.object);
    ASSERT_NE(part, nullptr);
    passivation.disconnected({part->request, all});
  }

  Passivation passivation{deaths, processes, peers};
  Child& object = processes.add({17, 0, 5});
  Child& caller = processes.add({17, 1, 2});
  RequesterPtr requester = std::make_shared<fake::Requester>(object.facts.address, &object);
  std::vector<std::uint64_t> rested;
};

TEST_F(PassivationTest, AnObjectRestsWhenAllHaveParted) {
  idle();
  EXPECT_TRUE(rested.empty());
  answer(true);
  EXPECT_EQ(rested, std::vector{object.facts.address.object});
}

TEST_F(PassivationTest, WhereSomethingIsUnderWayItDoesNot) {
  idle();
  answer(false);
  EXPECT_TRUE(rested.empty());
  EXPECT_EQ(object.named->passivation_round, 0U) << "it may be idle again";
}

TEST_F(PassivationTest, AnObjectThatWasOfUseMeanwhileDoesNotRest) {
  idle();
  object.named->passivation_round = 0;  // somebody came
  answer(true);
  EXPECT_TRUE(rested.empty());
}

TEST_F(PassivationTest, ADeadProcessHasParted) {
  idle();
  passivation.process_died(caller.facts.address.object);
  EXPECT_EQ(rested.size(), 1U);
}

TEST_F(PassivationTest, OneRoundAtATime) {
  idle();
  const auto told = processes.told.size();
  idle();
  EXPECT_EQ(processes.told.size(), told);
}

TEST_F(PassivationTest, OtherAgentsPartToo) {
  PeerAgent& peer = peers.meet(nullptr, "a program", peer_kind::guest);
  deaths.connect(peer.listener(), object.facts.address);
  idle();
  answer(true);
  EXPECT_TRUE(rested.empty());
  links.far[0]->say(talk::ForwardedReply{1, control::Disconnected{0, true}});
  EXPECT_EQ(rested.size(), 1U);
}

TEST_F(PassivationTest, AnAgentThatIsLostHasParted) {
  deaths.connect(peers.meet(nullptr, "a program", peer_kind::guest).listener(), object.facts.address);
  idle();
  answer(true);
  links.far[0]->events.lost("of this test");
  EXPECT_EQ(rested.size(), 1U);
}

TEST_F(PassivationTest, TheAgentThatAsksIsNotAsked) {
  PeerAgent& peer = peers.meet(nullptr, "a program", peer_kind::guest);
  deaths.connect(peer.listener(), object.facts.address);
  std::optional<bool> all;
  passivation.disconnect(std::make_shared<fake::Requester>(Address{18, 1, 4}, nullptr, &peer), object.facts.address, [&](bool parted) { all = parted; });
  answer(true);
  EXPECT_EQ(all, true);
}

TEST_F(PassivationTest, AnAnswerThatNobodyWaitsForIsLeft) { EXPECT_NO_THROW(passivation.disconnected({99, true})); }

}  // namespace
}  // namespace octavo::agent
