// SPDX-License-Identifier: Apache-2.0
// R-10 of octavo/road/connection.hpp: messages that are given away before their bulk has come, on the road that can.
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <random>
#include <thread>
#include <vector>

#include "conformance/road/bulk.hpp"
#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"
#include "octavo/road/shm.hpp"
#include "octavo/wire/archive.hpp"

namespace {

namespace road = octavo::road;
namespace wire = octavo::wire;
using Numbers = std::vector<double>;

Numbers numbers(std::size_t count, double first) {
  Numbers all(count);
  for (auto& each : all) each = first++;
  return all;
}

class All final : public road_tests::Yields {
 public:
  bool receives_in_place(const wire::FrameHeader& /*header*/) override { return yes; }
  bool yes = true;
};

class InPlace : public testing::Test {
 protected:
  InPlace() {
    auto ends = road::make_shm_ends();
    auto bell = road::Doorbell::make(), other = road::Doorbell::make();
    from = road::open_shm(std::move(ends.first), other, nullptr);
    to = road::open_shm(std::move(ends.second), bell, nullptr);
  }
  static void send(
      road::Connection& by, std::uint64_t call, const std::vector<Numbers>& all, const road::OnFull& on_full = [] { return true; }) {
    wire::Outgoing out;
    out.header.call = call;
    wire::Encoder encoder(out);
    for (const auto& part : all) encoder(part);
    out.seal();
    by.send(out, on_full);
  }
  // In a thread: it waits for room.
  std::jthread sending() {
    return std::jthread([this] {
      send(*from, 1, parts);
      send(*from, 2, {});
    });
  }
  wire::Message receive() {
    wire::Message message;
    while (!to->receive(message, &in_place)) ::sched_yield();
    return message;
  }

  octavo::kit::Watchdog watchdog{60};
  All in_place;
  std::shared_ptr<road::Connection> from, to;
  const std::vector<Numbers> parts{numbers(1 << 18, 0), numbers(600, 7), numbers(40'001, 9)};
};

TEST_F(InPlace, R10_BulkIsReadIntoItsPlaceWhileItIsSent) {
  auto sender = sending();
  auto message = receive();
  ASSERT_NE(message.pending_bulk, nullptr);
  EXPECT_TRUE(message.bulk.empty());
  EXPECT_EQ(message.bulk_bytes(), 8 * (parts[0].size() + parts[1].size() + parts[2].size()));
  wire::Decoder decoder(message);
  for (const auto& part : parts) {
    Numbers came;
    decoder(came);
    EXPECT_EQ(came, part);
  }
  EXPECT_EQ(message.bulk_bytes(), 0U);
  EXPECT_EQ(receive().header.call, 2U) << "before the message is gone";
}

TEST_F(InPlace, R10_IntoMemoryThatIsThere) {
  auto sender = sending();
  auto message = receive();
  wire::Decoder decoder(message);
  Numbers came(parts[0].size(), -1);
  const double* before = came.data();
  decoder(came);
  EXPECT_EQ(came, parts[0]);
  EXPECT_EQ(came.data(), before);
  message.clear();
  EXPECT_EQ(receive().header.call, 2U);
}

TEST_F(InPlace, R10_WhatNobodyReadsIsPassedOver) {
  auto sender = sending();
  receive().clear();
  auto next = receive();
  EXPECT_EQ(next.header.call, 2U);
  EXPECT_EQ(next.pending_bulk, nullptr);
}

TEST_F(InPlace, R10_WhatIsReadLateDoesNotHoldUpTheSender) {
  auto sender = sending();
  auto message = receive();
  EXPECT_EQ(receive().header.call, 2U) << "all has come meanwhile";
  sender.join();
  wire::Decoder decoder(message);
  for (const auto& part : parts) {
    Numbers came;
    decoder(came);
    EXPECT_EQ(came, part);
  }
}

TEST_F(InPlace, R10_HalfOfItNowAndHalfOfItLate) {
  auto sender = sending();
  auto message = receive();
  wire::Decoder decoder(message);
  Numbers came;
  decoder(came);
  EXPECT_EQ(came, parts[0]);
  wire::Message next;
  bool is_here = false;
  for (int i = 0; i < 3; ++i) is_here = is_here || to->receive(next, &in_place);
  decoder(came);
  EXPECT_EQ(came, parts[1]);
  if (!is_here) next = receive();
  EXPECT_EQ(next.header.call, 2U);
  decoder(came);
  EXPECT_EQ(came, parts[2]);
}

TEST_F(InPlace, R10_WhatIsNoLongerSentIsAnError) {
  send(*from, 1, parts, road::keep_rest);
  auto message = receive();
  from->close();
  to->notice_gone();
  wire::Decoder decoder(message);
  Numbers came;
  EXPECT_THROW(decoder(came), octavo::gone_error);
  message.clear();
  wire::Message none;
  EXPECT_FALSE(to->receive(none, &in_place));
  EXPECT_TRUE(to->gone());
}

TEST_F(InPlace, R10_AClosedConnectionGivesNoMore) {
  auto sender = std::thread([&] { EXPECT_THROW(send(*from, 1, parts), octavo::gone_error); });
  auto message = receive();
  to->close();
  from->notice_gone();
  sender.join();
  to.reset();
  wire::Decoder decoder(message);
  Numbers came;
  EXPECT_THROW(decoder(came), octavo::gone_error);
}

TEST_F(InPlace, R10_AnotherTypeIsRefusedBeforeMemoryIsTaken) {
  auto sender = sending();
  auto message = receive();
  ASSERT_NE(message.pending_bulk, nullptr);
  std::vector<std::byte> wrong(4096);
  wire::Decoder decoder(message);
  EXPECT_THROW(decoder.get_bulk(wrong.data(), wrong.size()), octavo::io_error);
  EXPECT_THROW((void)decoder.take_bulk(std::size_t{1} << 40), octavo::io_error);
  message.clear();
  EXPECT_EQ(receive().header.call, 2U);
}

TEST_F(InPlace, R10_LittleAndWhatIsNotWantedComesWhole) {
  send(*from, 1, {numbers(1000, 0)});
  auto little = receive();
  EXPECT_EQ(little.pending_bulk, nullptr);
  EXPECT_EQ(little.bulk.size(), 1U);
  in_place.yes = false;
  auto sender = sending();
  auto whole = receive();
  EXPECT_EQ(whole.pending_bulk, nullptr);
  EXPECT_EQ(whole.bulk.size(), 3U);
}

// Large parts are copied by both: the sender writes into the receiver's memory, and never after that was given back.
class BetweenProcesses : public testing::Test {
 protected:
  // It sends the same again and again, and gives up waiting now and then if it is told to.
  void begin(int patience) {
    auto ends = road::make_shm_ends();
    auto bell = road::Doorbell::make(), other = road::Doorbell::make();
    child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      auto from = road::open_shm(std::move(ends.first), other, nullptr);
      for (std::uint64_t call = 1;; ++call) {
        Numbers mine = part;
        mine[0] = static_cast<double>(call);
        wire::Outgoing out;
        out.header.call = call;
        wire::Encoder encoder(out);
        encoder(mine);
        out.seal();
        int left = call % 2 == 0 ? patience : 1 << 30;
        from->send(out, [&left] { return ::sched_yield() == 0 && --left > 0; });
        std::fill(mine.begin(), mine.end(), -3);
        while (!from->flush()) ::sched_yield();
      }
    }
    to = road::open_shm(std::move(ends.second), bell, nullptr);
    ends.first = {};
  }
  void kill() const {
    ::kill(child, SIGKILL);
    to->notice_gone();  // it may still be about to die
  }
  void end() const {
    kill();
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  }
  // False: no more comes whole. The first number is the number of the message.
  bool receive() {
    wire::Message message;
    while (!to->receive(message, &in_place)) {
      if (to->gone()) return false;
      ::sched_yield();
    }
    try {
      wire::Decoder decoder(message);
      decoder(came);
    } catch (const octavo::gone_error&) {
      return false;
    }
    EXPECT_EQ(came[0], static_cast<double>(message.header.call));
    EXPECT_TRUE(std::equal(came.begin() + 1, came.end(), part.begin() + 1));
    return true;
  }

  octavo::kit::Watchdog watchdog{120};
  All in_place;
  pid_t child = -1;
  std::shared_ptr<road::Connection> to;
  const Numbers part = numbers((8 << 20) / sizeof(double) + 77, 5);
  Numbers came = Numbers(part.size(), -1);
};

TEST_F(BetweenProcesses, R1_EachComesOnceAndWholeAlsoFromOneWhoGivesUpWaiting) {
  for (const int patience : {1 << 30, 40, 3}) {
    begin(patience);
    for (int i = 0; i < 40; ++i) ASSERT_TRUE(receive());
    end();
  }
}

TEST_F(BetweenProcesses, R4_OneThatDiesAtAnyMomentWritesNothingAfterwards) {
  std::mt19937 random(1);
  for (int round = 0; round < 30; ++round) {
    begin(1 << 30);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(receive());
    std::jthread killer([&, yields = random() % 500] {
      for (unsigned i = 0; i < yields; ++i) ::sched_yield();
      kill();
    });
    while (receive()) {}
    std::fill(came.begin(), came.end(), -1);
    killer.join();
    ASSERT_EQ(::waitpid(child, nullptr, 0), child);
    EXPECT_EQ(std::count(came.begin(), came.end(), -1), static_cast<std::ptrdiff_t>(came.size()));
  }
}

}  // namespace
