// SPDX-License-Identifier: Apache-2.0
#include "octavo/base/biased_lock.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "kit/watchdog.hpp"

namespace {

using octavo::BiasedLock;

class Biased : public testing::Test {
 protected:
  // True: nobody else was inside meanwhile.
  bool enter() {
    std::lock_guard guard(lock);
    bool alone = !inside;
    inside = true;
    for (int i = 0; i < 3; ++i) std::atomic_signal_fence(std::memory_order_seq_cst);
    ++count;
    inside = false;
    return alone;
  }
  octavo::kit::Watchdog watchdog{60};
  BiasedLock lock;
  bool inside = false;  // of the holder, as the count
  std::uint64_t count = 0;
};

TEST_F(Biased, OneAtATimeWhoeverIsTheFavourite) {
  constexpr std::uint64_t rounds = 200, most_each = 3000;
  std::atomic<bool> alone{true};
  std::atomic<std::uint64_t> entered{0};
  auto play = [&](unsigned seed) {
    std::mt19937 random(seed);
    for (std::uint64_t round = 0; round < rounds; ++round) {  // long enough, now and then, for being the favourite
      for (std::uint64_t n = 1 + random() % (random() % 8 == 0 ? most_each : 20); n != 0; --n, ++entered)
        if (!enter()) alone = false;
      if (random() % 4 == 0) std::this_thread::yield();
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) threads.emplace_back(play, t);
  for (auto& thread : threads) thread.join();
  EXPECT_TRUE(alone);
  EXPECT_EQ(count, entered.load());
}

TEST_F(Biased, TheFavouriteIsWaitedFor) {
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(enter());
  std::atomic<bool> tries{false}, got{false};
  std::unique_lock mine(lock);
  std::thread other([&] {
    tries = true;
    std::lock_guard guard(lock);
    got = true;
  });
  while (!tries) std::this_thread::yield();
  for (int i = 0; i < 100; ++i) {
    EXPECT_FALSE(got);
    std::this_thread::yield();
  }
  mine.unlock();
  other.join();
  EXPECT_TRUE(got);
  EXPECT_TRUE(enter()) << "it is nobody's favourite now";
}

}  // namespace
