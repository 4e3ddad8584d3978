// SPDX-License-Identifier: Apache-2.0
// The threads that wait at one endpoint: one reads, the others sleep, and nobody is forgotten.
#include "process/polling/waiters.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>
#include <vector>

#include "kit/watchdog.hpp"

namespace octavo::detail {
namespace {

class WaitersTest : public testing::Test {
 protected:
  // The reader looks for nothing but what it waits for.
  auto reads_for(const std::function<bool()>& done) {
    return [this, done] { return bell.wait(done); };
  }
  bool wait_for(const std::atomic<bool>& flag) {
    auto done = [&] { return flag.load(); };
    return waiters.wait(done, road::never, reads_for(done));
  }
  void until_one_waits() const {
    while (!waiters.any_waits()) std::this_thread::yield();
  }
  void until_one_reads() const {
    while (waiters.nobody_reads()) std::this_thread::yield();
  }

  kit::Watchdog watchdog{60};
  road::Doorbell bell = road::Doorbell::make();
  Waiters waiters{bell};
};

TEST_F(WaitersTest, WhatIsDoneBeforeTheWakeEndsEachWaitForIt) {
  constexpr int threads = 4, rounds = 200;
  for (int round = 0; round < rounds; ++round) {
    std::array<std::atomic<bool>, threads> done{};
    std::vector<std::thread> all;
    all.reserve(threads);
    for (auto& mine : done) all.emplace_back([this, &mine] { EXPECT_TRUE(wait_for(mine)); });
    for (auto& each : done) {
      each.store(true);
      waiters.wake();
    }
    for (auto& each : all) each.join();
    EXPECT_TRUE(waiters.nobody_reads());
    EXPECT_FALSE(waiters.any_waits());
  }
}

TEST_F(WaitersTest, OnlyOneReadsAtATime) {
  constexpr int threads = 4, rounds = 500;
  std::atomic<int> reading{0}, reads{0};
  auto play = [&] {
    for (int round = 0; round < rounds; ++round) {
      bool mine = false;
      waiters.wait([&] { return mine; }, road::never,
                   [&] {
                     EXPECT_EQ(reading.fetch_add(1), 0);
                     ++reads;
                     reading.fetch_sub(1);
                     return mine = true;
                   });
    }
  };
  std::vector<std::thread> all;
  for (int i = 0; i < threads; ++i) all.emplace_back(play);
  for (auto& each : all) each.join();
  EXPECT_EQ(reads, threads * rounds) << "nothing but its own reading ended a wait";
}

TEST_F(WaitersTest, TheRolePassesOnWhenTheReaderLeaves) {
  std::atomic<bool> first{false};
  std::thread reader([&] { EXPECT_TRUE(wait_for(first)); });
  until_one_reads();
  bool reads_now = false;
  std::thread next([&] { waiters.wait([&] { return reads_now; }, road::never, [&] { return reads_now = true; }); });
  until_one_waits();
  first.store(true);
  bell.ring();  // the reader alone
  reader.join();
  next.join();
  EXPECT_TRUE(reads_now);
}

TEST_F(WaitersTest, TheRolePassesOnAlsoWhenReadingThrows) {
  std::atomic<bool> throws{false};
  std::thread reader([&] {
    auto read = [&]() -> bool {
      bell.wait([&] { return throws.load(); });
      throw std::runtime_error("what is awaited");
    };
    EXPECT_THROW(waiters.wait([] { return false; }, road::never, read), std::runtime_error);
  });
  until_one_reads();
  bool reads_now = false;
  std::thread next([&] { waiters.wait([&] { return reads_now; }, road::never, [&] { return reads_now = true; }); });
  until_one_waits();
  throws.store(true);
  bell.ring();
  reader.join();
  next.join();
  EXPECT_TRUE(reads_now);
  EXPECT_TRUE(waiters.nobody_reads());
}

TEST_F(WaitersTest, AWaitBesideAReaderEndsAtItsDeadline) {
  std::atomic<bool> done{false};
  std::thread reader([&] { EXPECT_TRUE(wait_for(done)); });
  until_one_reads();
  auto never_runs = [] {
    ADD_FAILURE() << "two read";
    return true;
  };
  EXPECT_FALSE(waiters.wait([] { return false; }, road::Clock::now(), never_runs));
  EXPECT_FALSE(waiters.any_waits());
  done.store(true);
  waiters.wake();
  reader.join();
}

TEST_F(WaitersTest, TheReaderMayWaitAgainWithin) {
  int depth = 0;
  auto within = [&] { return ++depth == 2; };
  auto reads = [&] {
    within();
    EXPECT_TRUE(waiters.is_reader());
    const bool inner = waiters.wait([] { return false; }, road::never, within);
    EXPECT_TRUE(waiters.is_reader()) << "the inner wait has left it the role";
    return inner;
  };
  EXPECT_TRUE(waiters.wait([] { return false; }, road::never, reads));
  EXPECT_TRUE(waiters.nobody_reads());
}

// --- for a moment ---

TEST_F(WaitersTest, ABriefReadingHasTheRoleIfNobodyElseDoes) {
  {
    const BriefReading mine(waiters);
    EXPECT_TRUE(mine);
    EXPECT_TRUE(waiters.is_reader());
    {
      const BriefReading within(waiters);
      EXPECT_TRUE(within);
    }
    EXPECT_TRUE(waiters.is_reader()) << "the inner one had nothing to leave";
    std::thread([&] { EXPECT_FALSE(BriefReading(waiters)); }).join();
  }
  EXPECT_TRUE(waiters.nobody_reads());
}

TEST_F(WaitersTest, WhoWaitsReadsWhenABriefReadingEnds) {
  bool reads_now = false;
  std::thread next;
  {
    const BriefReading mine(waiters);
    next = std::thread([&] { waiters.wait([&] { return reads_now; }, road::never, [&] { return reads_now = true; }); });
    until_one_waits();
  }
  next.join();
  EXPECT_TRUE(reads_now);
}

TEST_F(WaitersTest, OneThatOnlySendsDoesNotCountAsReading) {
  const auto before = waiters.reads();
  { const BriefReading sends(waiters, BriefReading::purpose::to_send); }
  EXPECT_EQ(waiters.reads(), before);
  { const BriefReading reads(waiters); }
  EXPECT_EQ(waiters.reads(), before + 1);
}

// --- the watcher ---

TEST_F(WaitersTest, TheWatcherReadsWhenNobodyDoesAndGivesWay) {
  std::atomic<bool> done{false};
  std::thread watcher([&] { waiters.read_for_nobody([&](const std::function<bool()>& give_way) { EXPECT_TRUE(bell.wait(give_way)); }); });
  until_one_reads();
  bool reads_now = false;
  EXPECT_TRUE(waiters.wait([&] { return reads_now; }, road::never, [&] { return reads_now = true; }));
  watcher.join();
}

TEST_F(WaitersTest, TheWatcherDoesNotReadBesideAnother) {
  const BriefReading mine(waiters);
  std::thread([&] { waiters.read_for_nobody([](const std::function<bool()>&) { ADD_FAILURE() << "two read"; }); }).join();
}

TEST_F(WaitersTest, TheWatcherIsAskedToReadAtOnce) {
  EXPECT_TRUE(waiters.await_need(std::chrono::hours(1))) << "at its beginning";
  EXPECT_FALSE(waiters.await_need(std::chrono::milliseconds(1)));
  std::thread asks([&] { waiters.ask_watcher(); });
  EXPECT_TRUE(waiters.await_need(std::chrono::hours(1)));
  asks.join();
}

TEST_F(WaitersTest, TheWatcherHearsOfTheEndOfReading) {
  EXPECT_TRUE(waiters.await_need(std::chrono::hours(1)));
  std::promise<void> left;
  std::thread watcher;
  {
    const BriefReading mine(waiters);
    watcher = std::thread([&] {
      waiters.await_end_of_reading();
      left.set_value();
    });
    EXPECT_EQ(left.get_future().wait_for(std::chrono::milliseconds(5)), std::future_status::timeout);
  }
  watcher.join();
}

TEST_F(WaitersTest, TheEndOfTheWatcherEndsItsReading) {
  std::thread watcher([&] { waiters.read_for_nobody([&](const std::function<bool()>& give_way) { EXPECT_TRUE(bell.wait(give_way)); }); });
  until_one_reads();
  waiters.end_watcher();
  watcher.join();
  EXPECT_TRUE(waiters.watcher_ends());
  waiters.read_for_nobody([](const std::function<bool()>&) { ADD_FAILURE() << "it has ended"; });
}

}  // namespace
}  // namespace octavo::detail
