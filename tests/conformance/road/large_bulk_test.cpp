// SPDX-License-Identifier: Apache-2.0
// Bulk of many times the ring, which both sides copy at once: the same contract (octavo/road/connection.hpp), whatever happens meanwhile.
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

class LargeBulk : public testing::Test {
 protected:
  LargeBulk() {
    auto ends = road::make_shm_ends();
    a = road::open_shm(std::move(ends.first), bell_b, nullptr);
    b = road::open_shm(std::move(ends.second), bell_a, nullptr);
  }
  void send_and_receive(std::uint64_t call, const std::vector<std::vector<std::byte>>& parts) {
    bool here = false;
    wire::Message message;
    a->send(frame_of(call, parts), [&] {
      here = here || b->receive(message);
      return true;
    });
    while (!here) here = b->receive(message);
    EXPECT_EQ(message.header.call, call);
    expect_parts(message, parts);
  }

  octavo::kit::Watchdog watchdog{60};
  road::Doorbell bell_a = road::Doorbell::make(), bell_b = road::Doorbell::make();
  std::shared_ptr<road::Connection> a, b;
};

TEST_F(LargeBulk, R1_ComesWholeWhateverItsParts) {
  const std::vector<std::vector<std::byte>> one{bytes_of((8 << 20) + 13, 2)}, several{bytes_of(3, 3), bytes_of(1 << 20, 4), bytes_of(256 << 10, 5)};
  send_and_receive(2, one);
  send_and_receive(3, several);
  send_and_receive(4, {});
}

TEST_F(LargeBulk, R2_WhatIsLeftToTheRoadMayBeWrittenOver) {
  auto bulk = bytes_of(4 << 20, 6);
  const auto sent = bulk;
  a->send(frame_of(2, {bulk}), road::keep_rest);
  {
    std::vector<std::vector<std::byte>> borrowed(1);
    borrowed[0].swap(bulk);
    wire::Outgoing frame = frame_of(3, borrowed);
    a->send(frame, road::keep_rest);
    std::fill(borrowed[0].begin(), borrowed[0].end(), std::byte{0});
  }
  for (std::uint64_t call : {2, 3}) {
    wire::Message message;
    while (!b->receive(message)) a->flush();
    EXPECT_EQ(message.header.call, call);
    expect_parts(message, {sent});
  }
}

// While the sender waits it may do anything, also give up waiting.
TEST_F(LargeBulk, R2_TheSenderMayStopWaitingAtAnyTime) {
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

TEST_F(LargeBulk, R4_HalfOfItIsNoMessageWhenTheSenderCloses) {
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

TEST_F(LargeBulk, R8_BothWaysAtOnce) {
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

TEST(LargeBulkOfAnother, R4_ThatDiesIsHalfAMessage) {
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

}  // namespace
