// SPDX-License-Identifier: Apache-2.0
// The queue between threads: nothing is lost, doubled or reordered; full and empty are said; what is left is destroyed.
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "kit/watchdog.hpp"
#include "octavo/road/mpsc_ring.hpp"

namespace {

namespace road = octavo::road;
using Owned = std::unique_ptr<std::uint64_t>;

TEST(MpscRing, EachValueArrivesOnceInOrder) {
  octavo::kit::Watchdog watchdog{60};
  constexpr std::uint64_t values = 200'000;
  road::MpscRing<Owned> queue(16);
  std::thread producer([&] {
    for (std::uint64_t i = 0; i < values; ++i)
      for (auto value = std::make_unique<std::uint64_t>(i); !queue.try_push(value);) std::this_thread::yield();
  });
  Owned got;
  for (std::uint64_t i = 0; i < values; ++i) {
    while (!queue.try_pop(got)) std::this_thread::yield();
    ASSERT_EQ(*got, i);
  }
  producer.join();
  EXPECT_FALSE(queue.try_pop(got));
}

TEST(MpscRing, WhatIsLeftIsDestroyed) {
  auto watched = std::make_shared<int>(0);
  {
    road::MpscRing<std::shared_ptr<int>> queue(4);
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(queue.try_push(std::shared_ptr<int>(watched)));
    std::shared_ptr<int> one;
    ASSERT_TRUE(queue.try_pop(one));
  }
  EXPECT_EQ(watched.use_count(), 1);
}

TEST(MpscRing, SaysThatItIsFull) {
  road::MpscRing<Owned> ring(3);  // at least so many
  std::size_t taken = 0;
  for (;; ++taken) {
    auto value = std::make_unique<std::uint64_t>(taken);
    if (ring.try_push(value)) continue;
    EXPECT_NE(value, nullptr) << "what was not taken is left as it is";
    break;
  }
  EXPECT_EQ(taken, ring.capacity());
  EXPECT_GE(taken, 3u);
  Owned first;
  ASSERT_TRUE(ring.try_pop(first));
  EXPECT_EQ(*first, 0u);
  EXPECT_TRUE(ring.try_push(std::make_unique<std::uint64_t>(taken)));
  EXPECT_FALSE(ring.try_push(std::make_unique<std::uint64_t>(taken)));
  EXPECT_THROW(road::MpscRing<int>(0), std::invalid_argument);
}

TEST(MpscRing, KeepsTheOrderOfEachProducer) {
  octavo::kit::Watchdog watchdog{60};
  constexpr std::uint64_t producers = 4, each = 50'000;
  road::MpscRing<std::uint64_t> ring(64);
  std::vector<std::thread> threads;
  for (std::uint64_t p = 0; p < producers; ++p)
    threads.emplace_back([&ring, p] {
      for (std::uint64_t i = 0; i < each; ++i)
        while (!ring.try_push(p << 32 | i)) std::this_thread::yield();
    });
  std::vector<std::uint64_t> next(producers);
  for (std::uint64_t i = 0; i < producers * each; ++i) {
    std::uint64_t got = 0;
    while (!ring.try_pop(got)) std::this_thread::yield();
    ASSERT_EQ(got & 0xffffffff, next.at(got >> 32)++);
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
