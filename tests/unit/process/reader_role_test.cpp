// SPDX-License-Identifier: Apache-2.0
#include "process/polling/reader_role.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <random>
#include <thread>
#include <vector>

#include "kit/watchdog.hpp"

namespace {

using octavo::detail::ReaderRole;

// As the endpoint uses it (src/process/polling/waiters.cpp): a thread that finds the role taken sleeps until it is free.
class Role : public testing::Test {
 protected:
  bool try_read() {
    if (role.try_take()) return true;
    if (role.is_free() && waiting.load() != 0) wake();
    return false;
  }
  void leave(bool briefly) {
    role.leave(briefly);
    if (waiting.load() != 0) wake();
  }
  void wake() {
    { std::lock_guard lock(mutex); }
    changed.notify_all();
  }
  void take() {
    while (!try_read()) {
      std::unique_lock lock(mutex);
      waiting.fetch_add(1);
      role.let_be_seen();
      changed.wait(lock, [&] { return role.is_free(); });
      waiting.fetch_sub(1);
    }
  }
  octavo::kit::Watchdog watchdog{60};
  ReaderRole role;
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<int> waiting{0};
};

TEST_F(Role, OneReadsAtATimeAndNobodyWaitsForEver) {
  std::uint64_t count = 0;  // of the reader
  std::atomic<std::uint64_t> taken{0};
  auto play = [&](unsigned seed) {
    std::mt19937 random(seed);
    for (int round = 0; round < 300; ++round) {
      const bool briefly = random() % 4 != 0;
      for (auto n = 1 + random() % (random() % 8 == 0 ? 2000 : 10); n != 0; --n) {
        if (briefly && random() % 2 == 0) {
          if (!try_read()) continue;
        } else {
          take();
        }
        EXPECT_TRUE(role.is_mine());
        EXPECT_FALSE(role.is_free());
        ++count;
        ++taken;
        leave(briefly);
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) threads.emplace_back(play, t);
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(count, taken.load());
  EXPECT_TRUE(role.is_free());
}

TEST_F(Role, IsSeenByOthersFromTheMomentItMayBeTaken) {
  EXPECT_TRUE(role.is_free());
  EXPECT_FALSE(role.may_be_anothers());
  for (int i = 0; i < 1000; ++i) {  // the bias owner
    ASSERT_TRUE(role.try_take());
    EXPECT_FALSE(role.may_be_anothers());
    role.leave(true);
  }
  std::thread([&] {
    EXPECT_EQ(role.may_be_anothers(), octavo::RealSteps::barrier_possible()) << "the bias_owner may take it at any moment";
    EXPECT_FALSE(role.is_mine());
    EXPECT_TRUE(role.try_take());
    EXPECT_TRUE(role.is_mine());
    role.leave(false);
  }).join();
  ASSERT_TRUE(role.try_take());
  std::thread([&] { EXPECT_FALSE(role.try_take()); }).join();
  role.leave(false);
}

}  // namespace
