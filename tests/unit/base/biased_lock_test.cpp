// SPDX-License-Identifier: Apache-2.0
#include "octavo/base/biased_lock.hpp"

#include <gtest/gtest.h>

#include <chrono>
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

TEST_F(Biased, OneAtATimeWhoeverIsTheOwner) {
  constexpr std::uint64_t rounds = 200, most_each = 3000;
  std::atomic<bool> alone{true};
  std::atomic<std::uint64_t> entered{0};
  auto play = [&](unsigned seed) {
    std::mt19937 random(seed);
    for (std::uint64_t round = 0; round < rounds; ++round) {  // long enough, now and then, for being the owner
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

TEST_F(Biased, TheOwnerIsWaitedFor) {
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
  EXPECT_TRUE(enter()) << "it is nobody's now";
}

// How often one has to come, with nobody between, to be made the owner.
int times_until_earned(octavo::bias::BiasPolicy& merit, octavo::bias::Thread who) {
  int times = 1;
  while (!merit.earned(who) && times < 1'000'000) ++times;
  return times;
}

TEST(BiasPolicy, TakesTwiceAsMuchEachTimeItIsTakenAwaySoon) {
  if (!octavo::RealSteps::barrier_possible()) GTEST_SKIP() << "no owners here";
  for (bool soon = false; !soon;) {
    const auto begun = std::chrono::steady_clock::now();
    octavo::bias::BiasPolicy merit;
    std::vector<int> times{times_until_earned(merit, 1)};
    for (int i = 0; i < 5; ++i) {
      merit.was_taken_away();
      times.push_back(times_until_earned(merit, 1));
    }
    soon = std::chrono::steady_clock::now() - begun < octavo::bias::BiasPolicy::long_enough;  // else this thread was kept from running
    for (std::size_t i = 1; soon && i < times.size(); ++i) EXPECT_GT(times[i], times[i - 1]);
  }
}

TEST(BiasPolicy, TakesAsLittleAsAtFirstWhenItLastedLong) {
  if (!octavo::RealSteps::barrier_possible()) GTEST_SKIP() << "no owners here";
  octavo::bias::BiasPolicy merit;
  const int first = times_until_earned(merit, 1);
  for (int i = 0; i < 8; ++i) {
    merit.was_taken_away();
    times_until_earned(merit, 1);
  }
  const auto long_since = std::chrono::steady_clock::now() + octavo::bias::BiasPolicy::long_enough;
  while (std::chrono::steady_clock::now() < long_since) std::this_thread::yield();
  merit.was_taken_away();
  EXPECT_LE(times_until_earned(merit, 1), first);
}

}  // namespace
