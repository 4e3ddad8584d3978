// SPDX-License-Identifier: Apache-2.0
// Pages between two processes of one machine that have pools of their own (open_between_pools): by value, from where they lie into the other's pool, or as bulk
// where that has no room; and nothing of either pool is left taken, whatever ends in between. R-5.
#include "octavo/machine/pool.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <optional>
#include <thread>

#include "conformance/road/relays.hpp"
#include "kit/watchdog.hpp"

namespace {

namespace road = octavo::road;
namespace wire = octavo::wire;
using octavo::Pool;
using octavo::kit::Party;

constexpr std::int64_t KiB = 1024, pool_bytes = 8192 * KiB;

std::byte value_at(std::uint64_t number, std::size_t at) { return static_cast<std::byte>(number * 31 + at * 7 + at / 4096); }

class PoolToPool : public testing::Test {
 protected:
  PoolToPool() {
    auto ends = road::make_shm_ends();
    a.connection = road::open_between_pools(std::move(ends.first), b.bell, pools[0]);
    b.connection = road::open_between_pools(std::move(ends.second), a.bell, pools[1]);
  }
  // With a body of ten bytes, a bulk part of a hundred, and pages of these sizes.
  void send(std::uint64_t number, const std::vector<std::int64_t>& sizes, bool wait = true) {
    auto out = Party::frame(number, 10);
    const std::vector<std::byte> bulk(100, static_cast<std::byte>(number));
    out.bulk.emplace_back(bulk);
    for (auto size : sizes) {
      auto page = pools[0].allocate(size);
      for (std::size_t i = 0; i < page.bytes; ++i) pools[0].at(page)[i] = value_at(number, i);
      out.pages.push_back(page);
      out.bulk.emplace_back(pools[0].at(page), page.bytes);
    }
    out.seal();
    try {
      a.connection->send(out, [&] {
        if (!wait) return false;
        a.bell.wait([&] { return a.connection->ready() || a.ended(); });
        if (a.ended()) a.connection->notice_gone();
        return true;
      });
    } catch (...) {
      for (const auto& page : out.pages) pools[0].release(page);
      throw;
    }
    for (const auto& page : out.pages) pools[0].release(page);
  }
  bool receive(wire::Message& message) const {
    while (!b.connection->receive(message)) {
      if (b.connection->gone()) return false;
      if (!a_lets_go) a.connection->flush();
      b.bell.wait([&] { return b.connection->ready() || b.ended(); }, road::Clock::now() + std::chrono::milliseconds(1));
      if (b.ended()) b.connection->notice_gone();
    }
    return true;
  }
  void check(const wire::Message& message, std::uint64_t number, const std::vector<std::int64_t>& sizes) {
    ASSERT_EQ(message.header.call, number);
    ASSERT_EQ(message.pages.size(), sizes.size());
    const bool in_bulk = message.bulk.size() != 1;
    ASSERT_EQ(message.bulk.size(), in_bulk ? 1 + sizes.size() : 1);
    for (std::size_t p = 0; p < sizes.size(); ++p) {
      const auto& page = message.pages[p];
      ASSERT_EQ(page.bytes, static_cast<std::uint64_t>(sizes[p]));
      const std::byte* at = page.by_value != 0 ? message.bulk[1 + p].span().data() : pools[1].at(page);
      for (std::size_t i = 0; i < page.bytes; ++i) ASSERT_EQ(at[i], value_at(number, i)) << p << ' ' << i;
    }
  }
  void expect_free() {
    for (auto& pool : pools) EXPECT_EQ(pool.free_bytes(), pool.bytes());
  }

  octavo::kit::Watchdog watchdog{100};
  std::array<Pool, 2> pools{Pool(Pool::make(pool_bytes), 3), Pool(Pool::make(pool_bytes), 4)};
  Party a, b;
  bool a_lets_go = false;  // its end is gone, or flushed by nobody
};

TEST_F(PoolToPool, PagesGoInTheOrderOfTheFrames) {
  const std::vector<std::vector<std::int64_t>> all{{64 * KiB}, {1, 4096, 5000}, {}, {200 * KiB}, {1024 * KiB}, {60 * KiB, 300 * KiB, 3}};
  std::thread sender([&] {
    for (std::uint64_t i = 0; i < 60; ++i) send(i, all[i % all.size()]);
  });
  a_lets_go = true;
  for (std::uint64_t i = 0; i < 60; ++i) {
    wire::Message message;
    ASSERT_TRUE(receive(message));
    check(message, i, all[i % all.size()]);
    for (const auto& page : message.pages) EXPECT_EQ(page.by_value, 0U) << "half of the pool is free";
  }
  sender.join();
  expect_free();
}

// Nobody copies it aside: who sent it has let go of it, and the connection holds it until it was read.
TEST_F(PoolToPool, APageThatFindsNoRoomIsHeldWhereItLies) {
  for (std::uint64_t i = 0; i < 3; ++i) send(i, {1024 * KiB}, false);
  EXPECT_LE(pools[0].free_bytes(), pool_bytes - 2048 * KiB);
  for (std::uint64_t i = 0; i < 3; ++i) {
    wire::Message message;
    ASSERT_TRUE(receive(message));
    check(message, i, {1024 * KiB});
  }
  expect_free();
}

TEST_F(PoolToPool, ComeAsBulkWhereHalfOfThePoolIsTaken) {
  const auto taken = pools[1].allocate(pool_bytes / 2);
  send(1, {70 * KiB, 600 * KiB}, false);
  wire::Message message;
  ASSERT_TRUE(receive(message));
  check(message, 1, {70 * KiB, 600 * KiB});
  EXPECT_EQ(message.pages.at(1).by_value, 1U);
  pools[1].release(taken);
  send(2, {600 * KiB}, false);
  ASSERT_TRUE(receive(message));
  check(message, 2, {600 * KiB});
  EXPECT_EQ(message.pages.at(0).by_value, 0U);
  message = {};
  expect_free();
}

TEST_F(PoolToPool, NothingStaysTakenOfWhatNobodyReads) {
  for (std::uint64_t i = 0; i < 3; ++i) send(i, {500 * KiB, 4096}, false);
  wire::Message message;
  ASSERT_TRUE(receive(message));
  check(message, 0, {500 * KiB, 4096});
  message = {};
  b.connection->receive(message);  // some of the next, perhaps
  message = {};
  b.connection.reset();
  a.connection->notice_gone();
  EXPECT_THROW(send(9, {100}), octavo::gone_error);
  a.connection.reset();
  expect_free();
}

TEST_F(PoolToPool, WhatCameWholeIsReadWhenItsSenderHasEnded) {
  send(1, {20 * KiB}, false);
  send(2, {30 * KiB}, false);
  a.connection.reset();
  a_lets_go = true;
  for (std::uint64_t i = 1; i < 3; ++i) {
    wire::Message message;
    ASSERT_TRUE(receive(message));
    check(message, i, {static_cast<std::int64_t>(10 + 10 * i) * KiB});
  }
  wire::Message none;
  EXPECT_FALSE(receive(none));
  expect_free();
}

// The other process may be broken: it names pages of this pool, in the lane or as bytes without any.
TEST_F(PoolToPool, PagesByReferenceAreRefused) {
  const auto ours = pools[1].allocate(100);
  auto frame = [](std::uint64_t number, std::size_t bytes) {
    auto made = Party::frame(number, bytes);
    made.header.object = 1;
    return made;
  };
  a.connection->send(frame(1, 10), road::keep_rest);  // the next may go by the lane
  wire::Message first;
  ASSERT_TRUE(receive(first));
  wire::Message message;
  auto out = frame(2, 10);
  out.pages = {ours};
  out.seal();
  EXPECT_EQ(a.connection->send_now(out), road::sent_now::sent);
  EXPECT_THROW(receive(message), octavo::io_error);
  out = frame(3, 5000);
  out.pages = {ours};
  out.seal();
  a.connection->send(out, road::keep_rest);
  EXPECT_THROW(receive(message), octavo::io_error);
  EXPECT_LT(pools[1].free_bytes(), pools[1].bytes()) << "it is still there";
  pools[1].release(ours);
  expect_free();
}

}  // namespace
