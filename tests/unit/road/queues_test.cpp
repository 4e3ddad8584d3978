// SPDX-License-Identifier: Apache-2.0
// The queues between threads: nothing is lost, doubled or reordered; full and empty are said; what is left is destroyed.
#include <gtest/gtest.h>

#include <memory>
#include <thread>
#include <vector>

#include "kit/watchdog.hpp"
#include "octavo/road/mpsc_ring.hpp"
#include "octavo/road/spsc_queue.hpp"
#include "octavo/road/spsc_ring.hpp"

namespace {

namespace road = octavo::road;
using Owned = std::unique_ptr<std::uint64_t>;

template <class Queue>
void push(Queue& queue, Owned value) {
  if constexpr (requires { queue.try_push(value); })
    while (!queue.try_push(value)) std::this_thread::yield();
  else queue.push(std::move(value));
}
template <class Queue>
Owned pop(Queue& queue) {
  Owned got;
  while (!queue.try_pop(got)) std::this_thread::yield();
  return got;
}

template <class Queue>
class Queues : public testing::Test {
 protected:
  octavo::kit::Watchdog watchdog{60};
};
using Kinds = testing::Types<road::SpscRing<Owned>, road::SpscQueue<Owned>, road::MpscRing<Owned>>;
TYPED_TEST_SUITE(Queues, Kinds);

TYPED_TEST(Queues, EachValueArrivesOnceInOrder) {
  constexpr std::uint64_t values = 200'000;
  TypeParam queue(16);
  std::thread producer([&] {
    for (std::uint64_t i = 0; i < values; ++i) push(queue, std::make_unique<std::uint64_t>(i));
  });
  for (std::uint64_t i = 0; i < values; ++i) ASSERT_EQ(*pop(queue), i);
  producer.join();
  Owned none;
  EXPECT_FALSE(queue.try_pop(none));
}

TYPED_TEST(Queues, WhatIsLeftIsDestroyed) {
  auto watched = std::make_shared<int>(0);
  using Watched = std::shared_ptr<int>;
  auto check = [&](auto queue) {
    for (int i = 0; i < 3; ++i) {
      Watched copy = watched;
      if constexpr (requires { queue->try_push(copy); }) {
        ASSERT_TRUE(queue->try_push(copy));
      } else {
        queue->push(copy);
      }
    }
    Watched one;
    ASSERT_TRUE(queue->try_pop(one));
  };
  check(std::make_unique<road::SpscRing<Watched>>(4));
  check(std::make_unique<road::SpscQueue<Watched>>(2));
  check(std::make_unique<road::MpscRing<Watched>>(4));
  EXPECT_EQ(watched.use_count(), 1);
}

template <class Ring>
void expect_bounded() {
  Ring ring(3);  // at least so many
  std::vector<Owned> left;
  std::size_t taken = 0;
  for (;; ++taken) {
    auto value = std::make_unique<std::uint64_t>(taken);
    if (ring.try_push(value)) continue;
    EXPECT_NE(value, nullptr) << "what was not taken is left as it is";
    break;
  }
  EXPECT_EQ(taken, ring.capacity());
  EXPECT_GE(taken, 3u);
  EXPECT_EQ(*pop(ring), 0u);
  EXPECT_TRUE(ring.try_push(std::make_unique<std::uint64_t>(taken)));
  EXPECT_FALSE(ring.try_push(std::make_unique<std::uint64_t>(taken)));
}
TEST(Rings, SayThatTheyAreFull) {
  expect_bounded<road::SpscRing<Owned>>();
  expect_bounded<road::MpscRing<Owned>>();
  EXPECT_THROW(road::SpscRing<int>(0), std::invalid_argument);
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

TEST(SpscQueue, GoesFromRingToRing) {
  road::SpscQueue<int> queue(8);
  for (int round = 0; round < 1000; ++round) {
    for (int i = 0; i < 20; ++i) queue.push(i);
    int got = -1;
    for (int i = 0; i < 20; ++i) {
      ASSERT_TRUE(queue.try_pop(got));
      ASSERT_EQ(got, i);
    }
    ASSERT_FALSE(queue.try_pop(got));
  }
}

}  // namespace
