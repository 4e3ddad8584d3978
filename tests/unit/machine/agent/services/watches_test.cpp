// SPDX-License-Identifier: Apache-2.0
// Requests to be told of deaths, with processes and links of the test.
#include "machine/agent/services/watches.hpp"

#include <gtest/gtest.h>

#include "unit/machine/agent/fake_peers.hpp"

namespace octavo::agent {
namespace {

class WatchesTest : public fake::PeersTest {
 protected:
  RequesterPtr process() { return std::make_shared<fake::Requester>(one.facts.address, &one); }

  Watches watches{self, deaths, processes, peers, routes};
  Child& one = processes.add({17, 1, 2});
  Child& two = processes.add({17, 1, 3});
  Obituary death_of(const Address& who) const {
    Obituary obituary;
    obituary.facts.address = who;
    return obituary;
  }
};

TEST_F(WatchesTest, AProcessIsToldWhenTheOtherDies) {
  watches.watch(process(), {{two.facts.address}});
  EXPECT_TRUE(processes.told.empty());
  deaths.enter(death_of(two.facts.address));
  EXPECT_EQ(told_of_death, std::vector{one.listener()});
}

TEST_F(WatchesTest, OfADeathThatIsKnownItIsToldAtOnce) {
  deaths.enter(death_of(two.facts.address));
  watches.watch(process(), {{two.facts.address}});
  EXPECT_NE(processes.last<control::Died>(2), nullptr);
}

TEST_F(WatchesTest, TheAgentOfAnotherMachineIsAskedOnce) {
  PeerAgent& peer = meet();
  watches.watch(process(), {{far}});
  ASSERT_NE(links.far[0]->last<talk::ForwardedRequest>(), nullptr);
  control::Listing living;
  living.processes.emplace_back().address = far;
  links.far[0]->say(talk::ForwardedReply{1, living});
  EXPECT_TRUE(peer.theirs.contains(far));
  const auto heard = links.far[0]->heard.size();
  watches.watch(process(), {{far}});
  EXPECT_EQ(links.far[0]->heard.size(), heard);
}

TEST_F(WatchesTest, AMachineThatWasLostIsNotAsked) { EXPECT_NO_THROW(watches.watch(process(), {{far}})); }

TEST_F(WatchesTest, AnotherAgentHearsWhichOfThemLive) {
  PeerAgent& peer = meet();
  auto requester = std::make_shared<fake::Requester>(far, nullptr, &peer);
  deaths.enter(death_of({17, 1, 9}));
  watches.watch(requester, {{two.facts.address, {17, 1, 9}}});
  ASSERT_NE(requester->last<control::Listing>(), nullptr);
  EXPECT_EQ(requester->last<control::Listing>()->processes.size(), 1U);
  EXPECT_NE(links.far[0]->last<talk::Died>(), nullptr);
}

}  // namespace
}  // namespace octavo::agent
