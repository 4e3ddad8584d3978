// SPDX-License-Identifier: Apache-2.0
// Which listener hears of which death, without processes and without other agents.
#include "machine/agent/deaths/death_register.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace octavo::agent {
namespace {

class DeathRegisterTest : public testing::Test {
 protected:
  static Obituary death_of(const Address& who) {
    Obituary obituary;
    obituary.facts.address = who;
    return obituary;
  }

  const Address one{1, 1, 7}, another{1, 1, 8};
  const Listener process = Listener::process(2), agent = Listener::agent(2);
  std::vector<Listener> told;
  DeathRegister deaths{[this](const Listener& who, const Obituary&) { told.push_back(who); }};
};

TEST_F(DeathRegisterTest, WhoIsConnectedAndWhoWatchesIsTold) {
  deaths.connect(process, one);
  deaths.watch(agent, one);
  deaths.watch(Listener::process(3), another);
  deaths.enter(death_of(one));
  EXPECT_EQ(told, (std::vector{process, agent}));
  ASSERT_NE(deaths.find(one), nullptr);
  EXPECT_EQ(deaths.find(another), nullptr);
}

TEST_F(DeathRegisterTest, EachIsToldOnce) {
  deaths.connect(process, one);
  deaths.watch(process, one);
  deaths.enter(death_of(one));
  deaths.enter(death_of(one));
  EXPECT_EQ(told, std::vector{process});
}

TEST_F(DeathRegisterTest, OnlyTheLifeThatIsWatchedConcernsItsWatcher) {
  const Address named{1, 0, 7};
  deaths.watch(process, Life(named, 101));
  deaths.watch(agent, named);
  auto death = death_of(named);
  death.facts.pid = 100;
  deaths.enter(death);
  EXPECT_EQ(told, std::vector{agent});
  EXPECT_NE(deaths.find(Life(named, 100)), nullptr);
  EXPECT_EQ(deaths.find(Life(named, 101)), nullptr);
  death.facts.pid = 101;
  deaths.enter(death);
  EXPECT_EQ(told, (std::vector{agent, process}));
  EXPECT_NE(deaths.find(named), nullptr) << "the last one";
}

TEST_F(DeathRegisterTest, OfAnAgentThatIsThereAgainTheRealDeathsAreKept) {
  auto lost = death_of(one);
  lost.machine_lost = "its link was silent";
  deaths.enter(lost);
  lost.facts.address = {2, 1, 7};
  deaths.enter(lost);
  deaths.enter(death_of(another));
  deaths.forget_lost(1);
  EXPECT_EQ(deaths.find(one), nullptr);
  EXPECT_NE(deaths.find(another), nullptr);
  EXPECT_NE(deaths.find(lost.facts), nullptr) << "another agent's";
}

TEST_F(DeathRegisterTest, ALateDeathOfAnEarlierLifeEndsNoConnection) {
  ProcessFacts present;
  present.address = {1, 0, 7};
  present.pid = 101;
  deaths.connect(process, present);
  auto death = death_of(present.address);
  death.facts.pid = 100;
  deaths.enter(death);
  EXPECT_TRUE(told.empty());
  EXPECT_EQ(deaths.connected_with(present.address), std::vector{process});
  death.facts.pid = 101;
  deaths.enter(death);
  EXPECT_EQ(told, std::vector{process});
  EXPECT_TRUE(deaths.connected_with(present.address).empty());
}

TEST_F(DeathRegisterTest, WhoIsGoneIsNotTold) {
  deaths.connect(process, one);
  deaths.forget(process);
  deaths.enter(death_of(one));
  EXPECT_TRUE(told.empty());
}

TEST_F(DeathRegisterTest, OneThatCannotBeToldKeepsNobodyFromHearing) {
  DeathRegister stubborn([this](const Listener& who, const Obituary&) {
    if (who == process) throw std::runtime_error("of this test");
    told.push_back(who);
  });
  stubborn.connect(process, one);
  stubborn.connect(agent, one);
  stubborn.enter(death_of(one));
  EXPECT_EQ(told, std::vector{agent});
  EXPECT_NE(stubborn.find(one), nullptr);
}

TEST_F(DeathRegisterTest, ConnectionsAreCountedUntilTheirPeerDies) {
  deaths.connect(process, one);
  deaths.connect(process, another);
  deaths.watch(agent, one);
  EXPECT_EQ(deaths.connections_of(process), 2U);
  EXPECT_EQ(deaths.connected_with(one), std::vector{process});
  deaths.enter(death_of(one));
  EXPECT_EQ(deaths.connections_of(process), 1U);
  EXPECT_EQ(deaths.connections_of(agent), 0U);
}

TEST_F(DeathRegisterTest, OnlyTheNewestDeathsAreRemembered) {
  for (std::uint64_t object = 1; object <= 4097; ++object) deaths.enter(death_of({1, 1, object}));
  EXPECT_EQ(deaths.find(Address{1, 1, 1}), nullptr);
  EXPECT_NE(deaths.find(Address{1, 1, 2}), nullptr);
}

}  // namespace
}  // namespace octavo::agent
