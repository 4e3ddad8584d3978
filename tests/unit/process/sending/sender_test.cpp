// SPDX-License-Identifier: Apache-2.0
// How frames leave: over the lane by the reader, whole by any thread; what waits where there is no room, and what becomes of it where nobody reads any more.
#include "process/sending/sender.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <future>

#include "octavo/base/error.hpp"
#include "octavo/process/detail/method.hpp"
#include "octavo/process/errors.hpp"
#include "unit/process/parts.hpp"

namespace octavo::detail {
namespace {

using when_full = Sender::when_full;
using road::sent_now;
constexpr std::uint64_t many = 300;  // more than a road takes that nobody reads

class SenderTest : public PartTest, protected FakeClient {
 protected:
  ~SenderTest() override { sender.carrier()->end(); }
  void leave_place() override {  // the first thing of each round of reading
    if (on_pump) on_pump();
  }
  void send(std::uint64_t call, when_full how = when_full::wait) {
    auto out = frame_of(wire::frame_kind::call, call);
    sender.send(peer.address(), out, how);
  }
  void look_at_links() { poller.pump(); }
  // Until so many have come, in their order.
  void expect_all(std::uint64_t count) const {
    for (std::uint64_t next = 1; next <= count; ++next) {
      wire::Message message;
      ASSERT_TRUE(peer.around.bell.wait([&] { return peer.back.connection->receive(message); }));
      ASSERT_EQ(message.header.call, next);
    }
  }
  std::function<void()> on_pump;
  CallContext context;
  Poller poller{mine.around(), *this};
  Sender sender{mine.around(), poller, context, [] {}};
  Peer peer{machine, mine};
};

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
    return sent_now::no;
  };
  EXPECT_EQ(sender.by_lane(peer.address(), 5, refuses), nullptr);
  EXPECT_EQ(tries, 1);
}

TEST_F(SenderTest, WhileTheLaneIsFullItReads) {
  look_at_links();
  int tries = 0, rounds = 0;
  on_pump = [&] { ++rounds; };
  auto full_at_first = [&](const PeerLink&) { return ++tries < 4 ? sent_now::full : sent_now::sent; };
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
      return sent_now::full;
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
  EXPECT_NE(sender.by_lane(peer.address(), Sender::most_tries, posts), nullptr);
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
    EXPECT_EQ(sender.send_now(link, out), sent_now::no) << "between threads pages take the long way";
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

TEST_F(SenderTest, WhatIsKeptTheCarrierBringsLater) {
  on_pump = [] { ADD_FAILURE() << "it does not wait"; };
  for (std::uint64_t call = 1; call <= many; ++call) send(call, when_full::keep);
  EXPECT_TRUE(sender.carrier()->stands_still(*peer.link.connection));
  expect_all(many);  // though nobody reads here
}

TEST_F(SenderTest, SeenOffItWaitsForAMomentThenLeavesItToTheCarrier) {
  int rounds = 0;
  on_pump = [&] { ++rounds; };
  std::uint64_t call = 0;
  while (!sender.carrier()->stands_still(*peer.link.connection)) send(++call, when_full::see_off);
  EXPECT_GT(rounds, 0) << "it gave the reader some time";
  const int before = rounds;
  send(++call, when_full::see_off);
  EXPECT_EQ(rounds, before) << "who reads nothing gets none";
  expect_all(call);
}

// --- to whoever is gone ---

class SenderToTheGone : public SenderTest {
 protected:
  void send_page() {
    auto out = frame_of(wire::frame_kind::call, 1);
    out.pages.push_back(mine.pool.allocate(5000));
    out.owner.keeper = &mine.pool;
    sender.send(peer.address(), out);
  }
  const std::int64_t all = mine.pool.free_bytes();
};

TEST_F(SenderToTheGone, C6_IsToldByTheObituary) {
  peer.back.connection->close();  // its end is seen first
  auto heard = std::async(std::launch::async, [&] { machine.kill(peer.around); });
  EXPECT_THROW(send_page(), process_died);
  heard.get();
  EXPECT_EQ(mine.pool.free_bytes(), all) << "its pages are released";
}

TEST_F(SenderToTheGone, KnownToBeDeadNothingIsSent) {
  machine.kill(peer.around);
  EXPECT_THROW(send_page(), process_died);
  EXPECT_EQ(mine.pool.free_bytes(), all);
}

TEST_F(SenderToTheGone, WithoutAnAgentNobodySaysWhatItDiedOf) {
  peer.back.connection->close();
  mine.links.lose_agent();
  EXPECT_THROW(send_page(), gone_error);
  EXPECT_EQ(mine.pool.free_bytes(), all);
}

TEST_F(SenderToTheGone, WhoWaitsForRoomHearsOfIt) {
  on_pump = [&] { machine.kill(peer.around); };
  EXPECT_THROW(
      {
        for (std::uint64_t call = 1; call <= many; ++call) send(call);
      },
      process_died);
}

// --- what is posted ---

wire::SmallFrame post_of(std::uint64_t call) {
  wire::SmallFrame frame;
  frame.kind = wire::frame_kind::post;
  frame.call = call;
  frame.root = 8;
  frame.method = 9;
  frame.size = 1;
  frame.body[0] = std::byte{42};
  return frame;
}

TEST_F(SenderTest, ASmallPostArrivesTheSameByEachWay) {
  look_at_links();
  sender.post_small(peer.address(), post_of(1), when_full::wait);  // whole: the first of a connection
  sender.post_small(peer.address(), post_of(2), when_full::wait);  // over the lane
  {
    const BriefReading reading(poller.waiters());
    std::async(std::launch::async, [&] { sender.post_small(peer.address(), post_of(3), when_full::wait); }).get();  // beside the reader
  }
  for (std::uint64_t call = 1; call <= 3; ++call) {
    const auto came = peer.hear();
    ASSERT_TRUE(came);
    EXPECT_EQ(came->header.kind, wire::frame_kind::post);
    EXPECT_EQ(came->header.call, call);
    EXPECT_EQ(came->header.root, 8U);
    EXPECT_EQ(came->header.method, 9U);
    EXPECT_EQ(came->header.caller, mine.self.address.object);
    EXPECT_EQ(came->header.object, peer.address().object);
    ASSERT_EQ(came->body.size(), 1U);
    EXPECT_EQ(came->body.span()[0], std::byte{42});
  }
}

TEST_F(SenderTest, R1_PostsKeepTheirOrderThoughSomeWereKept) {
  look_at_links();
  for (std::uint64_t call = 1; call <= many; ++call) {
    auto out = frame_of(wire::frame_kind::post, call);
    if (call % 2 == 0) sender.post(peer.address(), out, when_full::keep);
    else sender.post_small(peer.address(), post_of(call), when_full::keep);
  }
  expect_all(many);
}

}  // namespace
}  // namespace octavo::detail
