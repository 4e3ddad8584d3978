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

TEST_F(WatchesTest, AsManyAsAreNamedAtOnceFitIntoANotice) {
  const control::Watch request{std::vector<Life>(1000, Life({18, 0, 4}, 4'000'000))};
  const auto bytes = control::encode(request);
  EXPECT_EQ(control::get_if<control::Watch>(&static_cast<const control::Notice&>(control::decode(bytes)))->who, request.who);
}

// --- objects with names, which this agent keeps ---

class WatchesOfNamed : public WatchesTest {
 protected:
  const Address named{17, 0, 40};
  Child& living = add(101);
  Child& add(std::int64_t pid) {
    Child& child = processes.add(named);
    child.facts.pid = pid;
    child.named = std::make_unique<Named>();
    return child;
  }
  void die(std::int64_t pid) {
    auto death = death_of(named);
    death.facts.pid = pid;
    deaths.enter(death);
  }
};

TEST_F(WatchesOfNamed, TheDeathOfAnEarlierLifeIsNotTold) {
  die(100);
  watches.watch(process(), {{Life(named, 101)}});
  EXPECT_TRUE(processes.told.empty());
  die(101);
  EXPECT_EQ(told_of_death, std::vector{one.listener()});
}

TEST_F(WatchesOfNamed, OneThatIsNotThePresentLifeIsOver) {
  watches.watch(process(), {{Life(named, 99)}});
  const auto* died = processes.last<control::Died>(2);
  ASSERT_NE(died, nullptr);
  EXPECT_EQ(died->obituary.facts.pid, 99);
  EXPECT_EQ(died->obituary.facts.address, named);
  die(101);
  EXPECT_TRUE(told_of_death.empty()) << "the present one was not meant";
}

TEST_F(WatchesOfNamed, AnotherAgentIsToldOfTheLifeThatItAskedFor) {
  PeerAgent& peer = meet();
  auto requester = std::make_shared<fake::Requester>(far, nullptr, &peer);
  die(100);
  watches.watch(requester, {{Life(named, 101), Life(named, 100)}});
  EXPECT_EQ(requester->last<control::Listing>()->processes.size(), 1U);
  EXPECT_EQ(links.far[0]->last<talk::Died>()->obituary.facts.pid, 100);
  die(101);
  EXPECT_EQ(told_of_death, std::vector{peer.listener()});
}

TEST_F(WatchesOfNamed, AnotherLifeThanIsKnownIsAskedFor) {
  PeerAgent& peer = meet();
  const Address theirs{18, 0, 7};
  auto& known = peer.theirs[theirs];
  known.address = theirs;
  known.pid = 200;
  watches.watch(process(), {{Life(theirs, 200)}});
  EXPECT_EQ(links.far[0]->last<talk::ForwardedRequest>(), nullptr);
  watches.watch(process(), {{Life(theirs, 201)}});
  EXPECT_NE(links.far[0]->last<talk::ForwardedRequest>(), nullptr);
}

TEST_F(WatchesOfNamed, OneThatWatchesIsAMemberAndNotPutToRest) {
  living.named->passivation_round = 5;
  watches.watch(std::make_shared<fake::Requester>(named, &living), {{two.facts.address}});
  EXPECT_EQ(living.named->passivation_round, 0U);
}

TEST_F(WatchesTest, AMachineThatWasLostIsNotAsked) { EXPECT_NO_THROW(watches.watch(process(), {{far}})); }

TEST_F(WatchesTest, AnotherAgentHearsWhichOfThemLive) {
  PeerAgent& peer = meet();
  auto requester = std::make_shared<fake::Requester>(far, nullptr, &peer);
  deaths.enter(death_of({17, 1, 9}));
  watches.watch(requester, {{two.facts.address, Address{17, 1, 9}}});
  ASSERT_NE(requester->last<control::Listing>(), nullptr);
  EXPECT_EQ(requester->last<control::Listing>()->processes.size(), 1U);
  EXPECT_NE(links.far[0]->last<talk::Died>(), nullptr);
}

}  // namespace
}  // namespace octavo::agent
