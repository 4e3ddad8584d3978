// SPDX-License-Identifier: Apache-2.0
// Large bulk that is read where it lies in the sender's process: the same contract (octavo/road/connection.hpp), whatever happens meanwhile.
#include "road/shm/lent_bulk.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <numeric>
#include <random>
#include <thread>

#include "conformance/road/bulk.hpp"
#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"
#include "octavo/road/shm.hpp"
#include "road/shm/outflow.hpp"

namespace {

namespace road = octavo::road;
namespace wire = octavo::wire;
using road_tests::bytes_of;

wire::Outgoing frame_of(std::uint64_t call, const std::vector<std::vector<std::byte>>& parts) {
  wire::Outgoing frame;
  frame.header.call = call;
  frame.header.object = 1;
  for (const auto& part : parts) frame.bulk.emplace_back(part);
  frame.seal();
  return frame;
}

void expect_parts(const wire::Message& message, const std::vector<std::vector<std::byte>>& parts) {
  ASSERT_EQ(message.bulk.size(), parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i)
    EXPECT_TRUE(std::equal(parts[i].begin(), parts[i].end(), message.bulk[i].span().begin(), message.bulk[i].span().end())) << "part " << i;
}

class LentBulk : public testing::Test {
 protected:
  LentBulk() {
    auto ends = road::make_shm_ends();
    a = road::open_shm(std::move(ends.first), bell_b, nullptr);
    b = road::open_shm(std::move(ends.second), bell_a, nullptr);
  }
  // The first tells that the other can read there.
  void try_it() {
    const std::vector<std::vector<std::byte>> parts{bytes_of(1 << 20, 1)};
    send_and_receive(1, parts);
  }
  // How often the receiver had to look until all was there.
  int send_and_receive(std::uint64_t call, const std::vector<std::vector<std::byte>>& parts) {
    int polls = 0;
    bool here = false;
    wire::Message message;
    a->send(frame_of(call, parts), [&] {
      here = here || (++polls, b->receive(message));
      return true;
    });
    while (!here) here = (++polls, b->receive(message));
    EXPECT_EQ(message.header.call, call);
    expect_parts(message, parts);
    return polls;
  }

  octavo::kit::Watchdog watchdog{60};
  road::Doorbell bell_a = road::Doorbell::make(), bell_b = road::Doorbell::make();
  std::shared_ptr<road::Connection> a, b;
};

TEST_F(LentBulk, R1_IsTakenWithoutTheSender) {
  try_it();
  const std::vector<std::vector<std::byte>> one{bytes_of((8 << 20) + 13, 2)}, several{bytes_of(3, 3), bytes_of(1 << 20, 4), bytes_of(road::least_lent, 5)};
  EXPECT_LE(send_and_receive(2, one), 9) << "through the ring it would have been more than 60";
  send_and_receive(3, several);
  send_and_receive(4, {});
}

TEST_F(LentBulk, R2_WhatIsLeftToTheRoadMayBeWrittenOver) {
  try_it();
  auto bulk = bytes_of(4 << 20, 6);
  const auto sent = bulk;
  a->send(frame_of(2, {bulk}), road::keep_rest);
  {
    std::vector<std::vector<std::byte>> lent(1);
    lent[0].swap(bulk);
    wire::Outgoing frame = frame_of(3, lent);
    a->send(frame, road::keep_rest);
    std::fill(lent[0].begin(), lent[0].end(), std::byte{0});
  }
  for (std::uint64_t call : {2, 3}) {
    wire::Message message;
    while (!b->receive(message)) a->flush();
    EXPECT_EQ(message.header.call, call);
    expect_parts(message, {sent});
  }
}

// While the sender waits it may do anything, also give up waiting.
TEST_F(LentBulk, R2_TheSenderMayStopWaitingAtAnyTime) {
  try_it();
  for (int rounds = 0; rounds < 12; ++rounds) {
    auto bulk = bytes_of((4 << 20) + 5, static_cast<std::uint64_t>(rounds));
    const auto sent = bulk;
    std::atomic<bool> stop{false};
    wire::Message message;
    std::thread receiver([&] {
      while (!b->receive(message)) ::sched_yield();
      stop = true;
    });
    a->send(frame_of(9, {bulk}), [&, left = rounds]() mutable { return left-- > 0; });
    std::fill(bulk.begin(), bulk.end(), std::byte{0xff});
    while (!stop) a->flush();
    receiver.join();
    expect_parts(message, {sent});
  }
}

TEST_F(LentBulk, R4_WhatAClosedConnectionLentIsNotReadAnyMore) {
  try_it();
  const std::vector<std::vector<std::byte>> parts{bytes_of(4 << 20, 6)};
  EXPECT_THROW(a->send(frame_of(2, parts),
                       [&] {
                         a->close();
                         return true;
                       }),
               octavo::gone_error);
  b->notice_gone();
  wire::Message message;
  EXPECT_FALSE(b->receive(message));
  EXPECT_TRUE(b->gone());
}

TEST_F(LentBulk, R8_BothWaysAtOnce) {
  auto talk = [&](road::Connection& mine, std::uint64_t seed) {
    std::mt19937_64 random(seed), others(3 - seed);
    auto next = [](std::mt19937_64& from) { return bytes_of(from() % (3 << 20), from()); };
    std::uint64_t received = 0;
    auto receive = [&] {
      wire::Message message;
      if (!mine.receive(message)) return;
      EXPECT_EQ(message.header.call, received++);
      expect_parts(message, {next(others)});
    };
    for (std::uint64_t i = 0; i < 40; ++i) {
      const std::vector<std::vector<std::byte>> parts{next(random)};
      mine.send(frame_of(i, parts), [&, left = i % 3 == 0 ? 3 : 1 << 30]() mutable {
        receive();
        ::sched_yield();
        return --left > 0;
      });
    }
    for (bool sent = false; received < 40 || !sent; sent = mine.flush()) receive();
  };
  std::thread other([&] { talk(*b, 2); });
  talk(*a, 1);
  other.join();
}

TEST(LentBulkOfAnother, R4_ThatDiesIsHalfAMessage) {
  octavo::kit::Watchdog watchdog{60};
  auto bell = road::Doorbell::make(), other = road::Doorbell::make();
  auto ends = road::make_shm_ends();
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    auto mine = road::open_shm(std::move(ends.first), bell, nullptr);
    for (std::uint64_t call = 1; call < 3; ++call) {
      const std::vector<std::vector<std::byte>> parts{bytes_of(1 << 20, call)};
      mine->send(frame_of(call, parts), [] { return ::sched_yield() == 0; });
    }
    for (;;) ::pause();
  }
  auto mine = road::open_shm(std::move(ends.second), other, nullptr);
  ends.first = {};
  wire::Message message;
  while (!mine->receive(message)) ::sched_yield();
  expect_parts(message, {bytes_of(1 << 20, 1)});
  while (!mine->ready()) ::sched_yield();  // of the second
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  mine->notice_gone();
  EXPECT_FALSE(mine->receive(message));
  EXPECT_TRUE(mine->gone());
}

// Who sleeps until there is room is rung when all was taken.
TEST(LentBulkBetweenEnds, TheSenderIsRungWhenAllWasTaken) {
  octavo::kit::Watchdog watchdog{60};
  auto ends = road::make_shm_ends();
  const auto bell = road::Doorbell::make(), other_bell = road::Doorbell::make();
  road::ShmRings mine(std::move(ends.first)), others(std::move(ends.second));
  road::Outflow out(mine, other_bell, nullptr, {});
  const std::vector<std::vector<std::byte>> parts{bytes_of(8 << 20, 1)};
  const auto frame = frame_of(1, parts);
  for (bool lent = false; !lent;) {
    lent = mine.lent_out->possible();
    std::vector<std::byte> tables, came;
    for (const auto& piece : wire::pieces_of(frame, tables)) came.resize(came.size() + piece.size());
    const std::jthread reader([&] {
      for (octavo::ByteSpan left = came; !left.empty();) {
        left = left.subspan(others.inflow.read(left));
        if (others.inflow.release()) bell.ring();
      }
      wire::Message header;
      while (others.lane_in.read(header) == road::LaneReader::next::nothing) {}
      if (others.lane_in.release()) bell.ring();
    });
    const auto number = out.put(frame, tables);
    while (out.keeps(number)) {
      bell.wait([&] { return out.got_room(); }, road::never);
      out.drain();
      out.hand_over();
    }
    EXPECT_FALSE(mine.lent_out->offers());
  }
}

}  // namespace
