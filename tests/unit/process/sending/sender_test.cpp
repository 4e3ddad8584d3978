// SPDX-License-Identifier: Apache-2.0
// How frames leave: over the lane by the reader, whole by any thread; what waits where there is no room.
#include "process/sending/sender.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "octavo/base/error.hpp"
#include "octavo/base/poll_budget.hpp"
#include "octavo/process/detail/method.hpp"
#include "unit/process/sending/sending.hpp"

namespace octavo::detail {
namespace {

using when_full = Sender::when_full;
using road::sent_now;

TEST_F(SenderTest, AHeaderNamesBothEndsAndThisProgram) {
  wire::FrameHeader header;
  sender.fill_header(header, {1, 5, 9}, wire::frame_kind::save, 77);
  EXPECT_EQ(header.kind, wire::frame_kind::save);
  EXPECT_EQ(header.caller, mine.self.address.object);
  EXPECT_EQ(header.object, 9U);
  EXPECT_EQ(header.incarnation, 5U);
  EXPECT_EQ(header.method, 77U);
  EXPECT_EQ(header.build, build_id());
}

// --- over the lane ---

TEST_F(SenderTest, TheLaneIsThatOfTheReadersView) {
  int tries = 0;
  auto sends = [&](const PeerLink&) {
    ++tries;
    return sent_now::sent;
  };
  EXPECT_EQ(sender.by_lane(peer.address(), 5, sends), nullptr) << "the reader has not looked at its links";
  look_at_links();
  EXPECT_EQ(sender.by_lane({1, 1, 99}, 5, sends), nullptr);
  EXPECT_EQ(tries, 0);
  const auto* by = sender.by_lane(peer.address(), 5, sends);
  ASSERT_NE(by, nullptr);
  EXPECT_EQ(by->connection, peer.link.connection);
}

TEST_F(SenderTest, WhatIsNotForTheLaneIsTriedOnce) {
  look_at_links();
  int tries = 0;
  auto refuses = [&](const PeerLink&) {
    ++tries;
    return sent_now::unsuitable;
  };
  EXPECT_EQ(sender.by_lane(peer.address(), 5, refuses), nullptr);
  EXPECT_EQ(tries, 1);
}

TEST_F(SenderTest, WhileTheLaneIsFullItReads) {
  look_at_links();
  int tries = 0, rounds = 0;
  on_pump = [&] { ++rounds; };
  auto full_at_first = [&](const PeerLink&) { return ++tries < 4 ? sent_now::no_room : sent_now::sent; };
  EXPECT_NE(sender.by_lane(peer.address(), 9, full_at_first), nullptr);
  EXPECT_EQ(rounds, 3);
  tries = 0;
  EXPECT_EQ(sender.by_lane(peer.address(), 3, full_at_first), nullptr) << "as often as it was told";
  EXPECT_EQ(tries, 3);
}

TEST_F(SenderTest, WithinReadingItDoesNotWaitForTheLane) {
  look_at_links();
  int tries = 0;
  on_pump = [&] {
    auto full = [&](const PeerLink&) {
      ++tries;
      return sent_now::no_room;
    };
    EXPECT_EQ(sender.by_lane(peer.address(), 9, full), nullptr);
  };
  poller.pump();
  EXPECT_EQ(tries, 1);
}

TEST_F(SenderTest, ALaneThatIsFullOfAnswersIsReadThatWay) {
  send(1);
  look_at_links();
  wire::SmallFrame small;
  small.call = 2;
  auto posts = [&](const PeerLink& by) { return by.connection->send_small(small); };
  while (peer.link.connection->send_small(small) == sent_now::sent) {}
  on_pump = [&] { EXPECT_TRUE(peer.hear()); };  // the other makes room while it is read
  EXPECT_NE(sender.by_lane(peer.address(), PollBudget::lane_room.usual, posts), nullptr);
}

TEST_F(SenderTest, OnlyWhatIsSmallGoesAtOnce) {
  wire::Outgoing out;
  EXPECT_TRUE(Sender::may_go_now(out));
  out.pages.resize(road::most_pages_now);
  EXPECT_TRUE(Sender::may_go_now(out));
  out.pages.resize(road::most_pages_now + 1);
  EXPECT_FALSE(Sender::may_go_now(out));
  out.pages.resize(1);
  const std::vector<std::byte> much(1000);
  out.body.append(much.data(), much.size());
  EXPECT_FALSE(Sender::may_go_now(out));
  out.pages.clear();
  EXPECT_TRUE(Sender::may_go_now(out)) << "the road sees itself";
  out.bulk.emplace_back(much);
  EXPECT_FALSE(Sender::may_go_now(out));
}

TEST_F(SenderTest, PagesThatDoNotGoAtOnceAreTheFramesAgain) {
  const auto all = mine.pool.free_bytes();
  for (std::uint32_t way : {0U, 3U}) {
    auto link = peer.link;
    link.route->way = way;
    wire::Outgoing out;
    out.pages.push_back(mine.pool.allocate(5000));
    out.owner.keeper = &mine.pool;
    EXPECT_EQ(sender.send_now(link, out), sent_now::unsuitable) << "between threads pages take the long way";
    EXPECT_EQ(mine.pool.references(out.pages[0]), 1U);
  }
  EXPECT_EQ(mine.pool.free_bytes(), all);
}

// --- whole ---

TEST_F(SenderTest, R2_WhereThereIsNoRoomItWaits) {
  auto sent = std::async(std::launch::async, [&] {
    for (std::uint64_t call = 1; call <= many; ++call) send(call);
  });
  expect_all(many);
  sent.get();
}

// Two that send to each other do not block.
TEST_F(SenderTest, WhileItWaitsForRoomItReads) {
  bool came = false;
  on_pump = [&] {
    while (peer.hear()) came = true;
  };
  for (std::uint64_t call = 1; call <= many; ++call) send(call);
  EXPECT_TRUE(came);
}

TEST_F(SenderTest, WhatIsKeptTheBackgroundSenderBringsLater) {
  on_pump = [] { ADD_FAILURE() << "it does not wait"; };
  for (std::uint64_t call = 1; call <= many; ++call) send(call, when_full::hand_over);
  EXPECT_TRUE(sender.background()->is_stalled(*peer.link.connection));
  expect_all(many);  // though nobody reads here
}

TEST_F(SenderTest, ItWaitsForAMomentThenHandsOver) {
  int rounds = 0;
  on_pump = [&] { ++rounds; };
  std::uint64_t call = 0;
  while (!sender.background()->is_stalled(*peer.link.connection)) send(++call, when_full::wait_then_hand_over);
  EXPECT_GT(rounds, 0) << "it gave the reader some time";
  const int before = rounds;
  send(++call, when_full::wait_then_hand_over);
  EXPECT_EQ(rounds, before) << "who reads nothing gets none";
  expect_all(call);
}

// --- that may go again ---

class ToNextLife final : public Sender::Resend {
 public:
  ToNextLife(wire::FrameHeader& of, std::vector<PeerLink> next) : header(of), lives(std::move(next)) {}
  [[nodiscard]] bool may_go_again() const override { return true; }
  void about_to_leave(const PeerLink& /*by*/) override { ++header.call; }
  PeerLink next_life(const PeerLink& /*gone*/) override {
    if (lives.empty()) throw gone_error("no life is left");
    const auto next = lives.front();
    lives.erase(lives.begin());
    return next;
  }
  [[nodiscard]] bool given_up() const noexcept override { return is_over; }

  wire::FrameHeader& header;
  std::vector<PeerLink> lives;
  bool is_over = false;
};

class LivesTest : public SenderTest {
 protected:
  void give_page(wire::Outgoing& out) {
    out.pages.push_back(mine.pool.allocate(5000));
    out.owner.keeper = &mine.pool;
  }
};

TEST_F(LivesTest, AFrameWhoseReceiverIsGoneGoesToItsNextLife) {
  Peer second{machine, mine}, third{machine, mine};
  const auto all = mine.pool.free_bytes();
  peer.back.connection->close();
  second.back.connection->close();
  auto out = frame_of(wire::frame_kind::call, 0);
  give_page(out);
  ToNextLife resend(out.header, {second.link, third.link});
  auto link = peer.link;
  sender.send(link, out, when_full::wait_for_room, &resend);
  EXPECT_EQ(link.connection, third.link.connection) << "the one that it left by";
  {
    const auto came = third.hear();
    ASSERT_TRUE(came);
    EXPECT_EQ(came->header.call, 3U) << "numbered each time";
    ASSERT_EQ(came->pages.size(), 1U);
  }
  EXPECT_EQ(mine.pool.free_bytes(), all);
}

TEST_F(LivesTest, WhereNoLifeIsLeftItsPagesAreReleased) {
  Peer second{machine, mine};
  const auto all = mine.pool.free_bytes();
  peer.back.connection->close();
  second.back.connection->close();
  {
    auto out = frame_of(wire::frame_kind::call, 0);
    give_page(out);
    ToNextLife resend(out.header, {second.link});
    auto link = peer.link;
    EXPECT_THROW(sender.send(link, out, when_full::wait_for_room, &resend), gone_error);
  }
  EXPECT_EQ(mine.pool.free_bytes(), all);
}

TEST_F(SenderTest, WhoHasGivenUpDoesNotWaitForRoom) {
  for (std::uint64_t call = 1; call <= many; ++call) send(call, when_full::hand_over);
  on_pump = [] { ADD_FAILURE() << "it waits"; };
  auto out = frame_of(wire::frame_kind::call, many);
  ToNextLife resend(out.header, {});
  resend.is_over = true;
  auto link = peer.link;
  sender.send(link, out, when_full::wait_for_room, &resend);
  expect_all(many + 1);
}

}  // namespace
}  // namespace octavo::detail
