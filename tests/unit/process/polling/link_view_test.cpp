// SPDX-License-Identifier: Apache-2.0
// The reader's copy of the connections: what it finds there, in which turn, and for how long.
#include "process/polling/link_view.hpp"

#include <gtest/gtest.h>

#include <deque>

#include "unit/process/parts.hpp"

namespace octavo::detail {
namespace {

class LinkViewTest : public PartTest {
 protected:
  Peer& peer() { return peers.emplace_back(machine, mine); }
  void refresh() { view.refresh(view_version()); }
  [[nodiscard]] std::uint64_t view_version() const { return mine.links.version(); }
  std::vector<std::size_t> turns() {
    std::vector<std::size_t> visited;
    view.in_turn([&](std::size_t at) {
      visited.push_back(at);
      return true;
    });
    return visited;
  }
  std::deque<Peer> peers;
  LinkView view{mine.links};
};

TEST_F(LinkViewTest, FindsWhatWasThereAtTheLastRefresh) {
  const auto& one = peer();
  EXPECT_TRUE(view.changed());
  EXPECT_EQ(view.find(one.address()), nullptr) << "not looked at yet";
  refresh();
  EXPECT_FALSE(view.changed());
  ASSERT_NE(view.find(one.address()), nullptr);
  EXPECT_EQ(view.find(one.address())->connection, one.link.connection);
  EXPECT_EQ(view.find({1, 1, 99}), nullptr);
}

TEST_F(LinkViewTest, FindsNothingFromAChangeUntilTheNextRefresh) {
  const auto& one = peer();
  refresh();
  const auto& other = peer();
  EXPECT_EQ(view.find(one.address()), nullptr) << "the link may be gone by now";
  refresh();
  EXPECT_EQ(view.find(one.address())->connection, one.link.connection);
  EXPECT_EQ(view.find(other.address())->connection, other.link.connection);
}

// C-2: all calls to one process take one connection.
TEST_F(LinkViewTest, OfTwoLinksToOnePeerItFindsTheFirst) {
  auto& one = peer();
  const auto second = machine.connect(mine, one.around).first;
  refresh();
  EXPECT_EQ(view.size(), 2U);
  EXPECT_EQ(view.find(one.address())->connection, one.link.connection);
  EXPECT_EQ(view.find(one.address())->connection, one.link.connection) << "also where it was found before";
}

TEST_F(LinkViewTest, TwoPeersWhoseNumbersMeetInTheMemoryAreToldApart) {
  auto& one = peer();
  auto& other = peer();
  other.around.self.address.object = one.address().object + 16;
  const auto second = machine.connect(mine, other.around).first;
  refresh();
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(view.find(one.address())->connection, one.link.connection);
    EXPECT_EQ(view.find(other.address())->connection, second.connection);
  }
}

TEST_F(LinkViewTest, WhatChangesAfterItWasSeenIsLookedAtAgain) {
  const auto seen = view_version();
  peer();
  view.refresh(seen);
  EXPECT_EQ(view.size(), 1U);
  EXPECT_TRUE(view.changed());
  refresh();
  EXPECT_FALSE(view.changed());
  view.look_again();
  EXPECT_TRUE(view.changed());
}

TEST_F(LinkViewTest, APlaceHoldsForItsRoundOnly) {
  peer();
  refresh();
  const auto place = view.position(0);
  EXPECT_TRUE(view.holds(place));
  EXPECT_FALSE(view.holds(view.position(1))) << "there is one link";
  EXPECT_FALSE(view.holds({})) << "none";
  refresh();
  EXPECT_TRUE(view.holds(place)) << "nothing changed: no round began";
  mine.links.something_changed();
  refresh();
  EXPECT_FALSE(view.holds(place));
}

TEST_F(LinkViewTest, TurnsBeginBehindTheOneThatWasServedLast) {
  for (int i = 0; i < 3; ++i) peer();
  refresh();
  EXPECT_EQ(turns(), (std::vector<std::size_t>{0, 1, 2}));
  view.serve_next(0);
  EXPECT_EQ(turns(), (std::vector<std::size_t>{1, 2, 0}));
  EXPECT_EQ(turns(), (std::vector<std::size_t>{1, 2, 0})) << "to look is not to serve";
  view.serve_next(2);
  EXPECT_EQ(turns(), (std::vector<std::size_t>{0, 1, 2}));
}

TEST_F(LinkViewTest, EachHasATurnThoughThereAreFewerThanBefore) {
  for (int i = 0; i < 3; ++i) peer();
  refresh();
  view.serve_next(1);
  mine.links.forget(peers[0].link);
  mine.links.forget(peers[1].link);
  refresh();
  EXPECT_EQ(turns(), std::vector<std::size_t>{0});
}

TEST_F(LinkViewTest, TurnsEndWhenTheVisitorSaysSo) {
  for (int i = 0; i < 3; ++i) peer();
  refresh();
  int visits = 0;
  view.in_turn([&](std::size_t at) {
    ++visits;
    return at != 1;
  });
  EXPECT_EQ(visits, 2);
}

// What lies at the other places is another's by then.
TEST_F(LinkViewTest, TurnsEndWhenARoundBeginsWithin) {
  for (int i = 0; i < 3; ++i) peer();
  refresh();
  int visits = 0;
  view.in_turn([&](std::size_t /*at*/) {
    ++visits;
    mine.links.something_changed();
    refresh();
    return true;
  });
  EXPECT_EQ(visits, 1);
}

TEST_F(LinkViewTest, KnowsWhetherSomeLinkHasSomething) {
  for (int i = 0; i < 4; ++i) peer();
  refresh();
  for (const auto& each : peers) {
    EXPECT_FALSE(view.some_is_ready());
    each.say(frame_of(wire::frame_kind::call, 1));
    EXPECT_TRUE(view.some_is_ready());
    wire::Message message;
    EXPECT_TRUE(each.link.connection->receive(message));
    EXPECT_FALSE(each.link.connection->receive(message));
  }
}

}  // namespace
}  // namespace octavo::detail
