// SPDX-License-Identifier: Apache-2.0
// The connections of a process, without an agent or a second process: what connect() would get comes from the test.
#include "process/peers/link_table.hpp"

#include <gtest/gtest.h>

#include <future>
#include <vector>

#include "kit/watchdog.hpp"
#include "machine/obituary.hpp"
#include "octavo/base/error.hpp"
#include "octavo/process/errors.hpp"
#include "octavo/road/thread.hpp"

namespace {

using octavo::Address;
using octavo::Obituary;
using octavo::detail::EndWatch;
using octavo::detail::LinkTable;
using octavo::detail::PeerLink;

class LinkTableTest : public testing::Test {
 protected:
  struct Peer {
    PeerLink link;
    std::shared_ptr<octavo::road::Connection> far_end;
  };
  Peer peer(const Address& address, std::int64_t pid) {
    octavo::road::ThreadRoad road(bell, octavo::road::Doorbell::make());
    auto [near, far] = road.ends();
    PeerLink link;
    link.facts.address = address;
    link.facts.pid = pid;
    link.route = octavo::wire::PageRoute{};
    link.connection = near;
    link.carried = false;
    return {link, far};
  }
  static Obituary death_of(const PeerLink& link) {
    Obituary death;
    death.facts = link.facts;
    return death;
  }
  static void say_something(octavo::road::Connection& by) {
    octavo::wire::Outgoing out;
    out.seal();
    by.send(out, octavo::road::keep_rest);
  }

  const Address one{1, 1, 7}, named{1, 0, 8};
  octavo::road::Doorbell bell = octavo::road::Doorbell::make();
  EndWatch ends;
  std::vector<Address> asked;
  Peer made;  // what connect() gets
  LinkTable table{bell, false, ends, [this](const Address& to) {
                    asked.push_back(to);
                    table.enter(made.link);
                    return made.link;
                  }};
  octavo::kit::Watchdog watchdog;
};

TEST_F(LinkTableTest, AConnectionIsAskedForOnce) {
  made = peer(one, 100);
  EXPECT_EQ(table.link_to(one).connection, made.link.connection);
  EXPECT_EQ(table.link_to(one).connection, made.link.connection);
  EXPECT_EQ(asked, std::vector{one});
}

TEST_F(LinkTableTest, AllCallsTakeTheConnectionThatWasThereFirst) {
  const auto theirs = peer(one, 100);
  LinkTable other(bell, false, ends, [&](const Address&) {  // the peer asks for one at the same moment, and its is entered first
    made = peer(one, 100);
    other.enter(theirs.link);
    other.enter(made.link);
    return made.link;
  });
  EXPECT_EQ(other.link_to(one).connection, theirs.link.connection);
  EXPECT_EQ(other.link_to(one).connection, theirs.link.connection);
}

TEST_F(LinkTableTest, ANullAddressIsRefused) { EXPECT_THROW(static_cast<void>(table.link_to({})), octavo::usage_error); }

TEST_F(LinkTableTest, ADeathWaitsUntilItsLastWordsAreRead) {
  const auto lost = peer(one, 100);
  table.enter(lost.link);
  say_something(*lost.far_end);
  table.died(death_of(lost.link));
  EXPECT_TRUE(table.take_deaths().empty());
  EXPECT_TRUE(table.deaths_wait());
  EXPECT_FALSE(table.death_is_due());
  octavo::wire::Message words;
  ASSERT_TRUE(lost.link.connection->receive(words));
  EXPECT_FALSE(lost.link.connection->receive(words));
  EXPECT_TRUE(table.death_is_due());
  EXPECT_EQ(table.take_deaths().size(), 1U);
  EXPECT_FALSE(table.deaths_wait());
}

// Its lasting agent was killed, say, and its own agent told so; a connection that no agent carries says when it ends.
TEST_F(LinkTableTest, OneWhoseWayWasLostLivesAsLongAsItsConnectionHolds) {
  auto lost = peer(one, 100);
  auto death = death_of(lost.link);
  death.machine_lost = "the way there";
  table.enter(lost.link);
  table.died(death);
  EXPECT_TRUE(table.reaches_given_up());
  EXPECT_EQ(table.link_to(one).connection, lost.link.connection);
  table.something_changed();
  EXPECT_FALSE(table.deaths_wait());
  lost.far_end->close();
  table.something_changed();
  EXPECT_EQ(table.take_deaths().size(), 1U);
  EXPECT_THROW(static_cast<void>(table.link_to(one)), octavo::process_died);
  EXPECT_EQ(table.await_obituary(one, octavo::road::never)->machine_lost, "the way there");
  EXPECT_FALSE(table.reaches_given_up());
}

// A fork of it may hide the end of its connection.
TEST_F(LinkTableTest, OneWhoseWayWasLostIsDeadWhenItsProcessIs) {
  bool lives = true;
  LinkTable other(bell, false, ends, {}, {}, [&](std::int64_t pid) { return pid == 100 && lives; });
  const auto lost = peer(one, 100);
  auto death = death_of(lost.link);
  death.machine_lost = "the way there";
  other.enter(lost.link);
  other.died(death);
  other.something_changed();
  EXPECT_TRUE(other.take_deaths().empty());
  lives = false;
  other.something_changed();
  EXPECT_EQ(other.take_deaths().size(), 1U);
  EXPECT_FALSE(other.deaths_wait());
}

TEST_F(LinkTableTest, WhatItsAgentTellsAfterwardsIsItsDeath) {
  const auto lost = peer(one, 100);
  auto death = death_of(lost.link);
  death.machine_lost = "the way there";
  table.enter(lost.link);
  table.died(death);
  death.machine_lost.clear();
  table.died(death);
  EXPECT_THROW(static_cast<void>(table.link_to(one)), octavo::process_died);
  lost.far_end->close();
  table.something_changed();
  EXPECT_EQ(table.await_obituary(one, octavo::road::never)->machine_lost, "");
}

TEST_F(LinkTableTest, OneWhoseWayWasLostIsDeadWhereAgentsCarriedItsConnection) {
  const auto lost = peer(one, 100);
  auto carried = lost.link;
  carried.carried = true;
  auto death = death_of(lost.link);
  death.machine_lost = "the way there";
  table.enter(carried);
  table.died(death);
  EXPECT_FALSE(table.reaches_given_up());
  EXPECT_THROW(static_cast<void>(table.link_to(one)), octavo::process_died);
}

// SI-3: the way between two agents was lost, and both live.
TEST_F(LinkTableTest, OneThatIsNotReachedIsNotSaidToBeDeadAndItIsSaidAgain) {
  const auto lost = peer(one, 100);
  auto carried = lost.link;
  carried.carried = true;
  auto unreached = death_of(lost.link);
  unreached.machine_lost = "machine attic may live, but is not reached from box";
  unreached.status = octavo::status_unreached;
  table.enter(carried);
  table.died(unreached);
  for (int tries = 0; tries < 2; ++tries) {
    try {
      static_cast<void>(table.link_to(one));
      FAIL();
    } catch (const octavo::gone_error& e) {
      EXPECT_NE(std::string(e.what()).find(unreached.machine_lost), std::string::npos);
    }
  }
  const auto again = peer(one, 100);
  table.enter(again.link);
  EXPECT_EQ(table.take_deaths().size(), 0U) << "it has come by another way";
  EXPECT_NO_THROW(static_cast<void>(table.link_to(one)));
  table.died(death_of(again.link));
  EXPECT_THROW(static_cast<void>(table.link_to(one)), octavo::process_died);
}

TEST_F(LinkTableTest, TheDeadAreCalledNoMore) {
  const auto lost = peer(one, 100);
  table.enter(lost.link);
  table.died(death_of(lost.link));
  EXPECT_THROW(static_cast<void>(table.link_to(one)), octavo::process_died);
  EXPECT_FALSE(table.obituary_of(one)) << "it has a link yet";
  EXPECT_FALSE(table.obituary_of(lost.link.facts));
  table.forget(lost.link.facts);
  EXPECT_TRUE(table.obituary_of(one));
  EXPECT_TRUE(table.obituary_of(lost.link.facts));
  EXPECT_TRUE(asked.empty());
}

TEST_F(LinkTableTest, ALastingAddressHasItsNextLife) {
  const auto first = peer(named, 100);
  table.enter(first.link);
  table.died(death_of(first.link));
  made = peer(named, 101);
  EXPECT_EQ(table.link_to(named).facts.pid, 101);
  EXPECT_EQ(table.link_if_there(named, 100)->connection, first.link.connection) << "until its death was dealt with";
  table.forget(first.link.facts);
  EXPECT_FALSE(table.link_if_there(named, 100));
  EXPECT_EQ(table.link_to(named).facts.pid, 101);
  EXPECT_EQ(asked.size(), 1U);
}

// Of lives that somebody watches each death is known, whatever became of the object since; of the others the last.
TEST_F(LinkTableTest, TheDeathOfOneLifeIsNotThatOfAnother) {
  const octavo::Life first(named, 100), second(named, 101), third(named, 102);
  table.watch(first);
  table.died(death_of(peer(named, 100).link));
  EXPECT_TRUE(table.obituary_of(first));
  EXPECT_FALSE(table.obituary_of(second));
  table.died(death_of(peer(named, 101).link));
  EXPECT_EQ(table.obituary_of(first)->facts.pid, 100);
  EXPECT_EQ(table.obituary_of(second)->facts.pid, 101);
  table.died(death_of(peer(named, 102).link));
  EXPECT_TRUE(table.obituary_of(first));
  EXPECT_FALSE(table.obituary_of(second)) << "nobody watched it";
  EXPECT_EQ(table.await_obituary(third, octavo::road::never)->facts.pid, 102);
}

TEST_F(LinkTableTest, WhoMeansOneLifeGetsNoOther) {
  const octavo::Life first(named, 100), second(named, 101);
  table.watch(first);
  made = peer(named, 101);
  const auto present = peer(named, 100);
  table.enter(present.link);
  EXPECT_EQ(table.link_to(first).facts.pid, 100);
  table.died(death_of(present.link));
  EXPECT_THROW(static_cast<void>(table.link_to(first)), octavo::process_died);
  EXPECT_TRUE(asked.empty()) << "nobody is woken for that";
  EXPECT_EQ(table.link_to(second).facts.pid, 101);
  EXPECT_EQ(asked.size(), 1U);
}

TEST_F(LinkTableTest, OneThatIsFoundInItsNextLifeIsGone) {
  made = peer(named, 101);
  auto gone = std::async(std::launch::async, [&] { static_cast<void>(table.link_to(octavo::Life(named, 100))); });
  table.died(death_of(peer(named, 100).link));
  EXPECT_THROW(gone.get(), octavo::process_died);
}

TEST_F(LinkTableTest, WhoLetsGoOfAnObjectWithANameClosesItsConnections) {
  const auto resting = peer(named, 100);
  table.enter(resting.link);
  table.disconnect(named);
  EXPECT_TRUE(resting.far_end->lost());
  made = peer(named, 101);
  EXPECT_EQ(table.link_to(named).facts.pid, 101);
}

TEST_F(LinkTableTest, TheReaderSeesWhatChanged) {
  std::vector<PeerLink> links;
  std::uint64_t version = 0;
  EXPECT_TRUE(table.refresh(links, version));
  EXPECT_FALSE(table.refresh(links, version));
  table.enter(peer(one, 100).link);
  EXPECT_TRUE(table.changed(version));
  EXPECT_TRUE(table.refresh(links, version));
  EXPECT_EQ(links.size(), 1U);
  table.something_changed();
  EXPECT_TRUE(table.refresh(links, version));
}

TEST_F(LinkTableTest, WhoWaitsForAnObituaryHearsOfIt) {
  const auto lost = peer(one, 100);
  auto heard = std::async(std::launch::async, [&] { return table.await_obituary(one, octavo::road::never); });
  table.died(death_of(lost.link));
  EXPECT_EQ(heard.get()->facts.pid, 100);
}

TEST_F(LinkTableTest, WithoutAnAgentNobodyWaitsForAnObituary) {
  auto heard = std::async(std::launch::async, [&] { return table.await_obituary(one, octavo::road::never); });
  table.lose_agent();
  EXPECT_FALSE(heard.get());
  EXPECT_TRUE(table.orphaned());
  EXPECT_THROW(table.raise_gone(one), octavo::gone_error);
}

}  // namespace
