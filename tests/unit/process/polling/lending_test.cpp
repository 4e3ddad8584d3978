// SPDX-License-Identifier: Apache-2.0
// Where an object is served, the thread of its methods lends the reader's role while one runs, and gets it back when it wants it.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "kit/watchdog.hpp"
#include "process/polling/waiters.hpp"

namespace octavo::detail {
namespace {

class LendingTest : public testing::Test {
 protected:
  LendingTest() { waiters.serve_here(); }
  bool wait_beside(const std::atomic<bool>& flag, road::Deadline deadline = road::never) {
    return waiters.wait_beside([&] { return flag.load(); }, deadline, {[this, deadline](const std::function<bool()>& until) {
                                 EXPECT_FALSE(reading.exchange(true)) << "two read";
                                 ++turns;
                                 const bool in_time = bell.wait(until, deadline);
                                 reading.store(false);
                                 return in_time;
                               }});
  }
  void until_one_reads() const {
    while (!reading.load()) std::this_thread::yield();
  }
  void until_one_waits() const {
    while (!waiters.any_waits()) std::this_thread::yield();
  }
  // As a method of the object.
  void read_here() {
    EXPECT_TRUE(waiters.is_reader());
    EXPECT_FALSE(reading.load()) << "another reads, too";
  }

  kit::Watchdog watchdog{60};
  road::Doorbell bell = road::Doorbell::make();
  Waiters waiters{bell};
  std::atomic<bool> reading{false};
  std::atomic<int> turns{0};
};

TEST_F(LendingTest, WhileNoMethodRunsNoOtherThreadReads) {
  std::atomic<bool> done{false};
  std::thread other([&] { EXPECT_TRUE(wait_beside(done)); });
  until_one_waits();
  std::thread([&] { EXPECT_FALSE(BriefReading(waiters)); }).join();
  EXPECT_TRUE(waiters.is_reader());
  done.store(true);
  waiters.wake();
  other.join();
  EXPECT_EQ(turns.load(), 0);
}

TEST_F(LendingTest, AnotherReadsWhileAMethodRunsForLong) {
  std::atomic<bool> done{false};
  std::thread other([&] { EXPECT_TRUE(wait_beside(done)); });
  waiters.lend();
  until_one_reads();
  done.store(true);
  bell.ring();
  other.join();
  EXPECT_FALSE(reading.load());
  waiters.take_back();
  EXPECT_TRUE(waiters.is_reader());
}

TEST_F(LendingTest, TheRoleComesBackAtOnceWhenItIsWanted) {
  std::atomic<bool> done{false};
  std::thread other([&] { EXPECT_TRUE(wait_beside(done)); });
  for (int method = 1; method <= 20; ++method) {
    waiters.lend();
    until_one_reads();
    EXPECT_FALSE(waiters.is_reader());
    waiters.take_back();
    read_here();
    EXPECT_EQ(turns.load(), method);
  }
  done.store(true);
  waiters.wake();
  other.join();
}

TEST_F(LendingTest, WithinTheSameMethodThreadsReadOneAfterTheOther) {
  waiters.lend();
  for (int turn = 1; turn <= 20; ++turn) {
    std::atomic<bool> done{false};
    std::thread other([&] { EXPECT_TRUE(wait_beside(done)); });
    until_one_reads();
    done.store(true);
    bell.ring();
    other.join();
    EXPECT_EQ(turns.load(), turn);
  }
  waiters.take_back();
}

TEST_F(LendingTest, MethodsThatComeAndGoForgetNobody) {
  constexpr int threads = 3, rounds = 3000;
  std::atomic<int> done{0};
  std::atomic<bool> over{false};
  std::vector<std::thread> others;
  for (int i = 0; i < threads; ++i)
    others.emplace_back([&] {
      while (!over.load()) {
        const int seen = done.load();
        waiters.wait_beside([&] { return done.load() != seen || over.load(); }, road::never, {[this](const std::function<bool()>& until) {
                              EXPECT_FALSE(reading.exchange(true)) << "two read";
                              const bool in_time = bell.wait(until, road::never);
                              reading.store(false);
                              return in_time;
                            }});
      }
    });
  for (int round = 0; round < rounds; ++round) {
    waiters.lend();
    if (round % 100 == 0) until_one_reads();
    {
      const BriefReading mine(waiters);
      if (mine) read_here();
    }
    {
      const ReadingAgain mine(waiters);
      read_here();
      done.fetch_add(1);
      waiters.wake();
    }
    waiters.take_back();
    read_here();
  }
  over.store(true);
  waiters.wake();
  for (auto& each : others) each.join();
}

TEST_F(LendingTest, AWaitEndsAtItsDeadlineWhetherTheRoleIsLentOrNot) {
  const std::atomic<bool> never{false};
  auto soon = [] { return road::Clock::now() + std::chrono::milliseconds(2); };
  std::thread([&] { EXPECT_FALSE(wait_beside(never, soon())); }).join();
  waiters.lend();
  std::thread([&] { EXPECT_FALSE(wait_beside(never, soon())); }).join();
  std::thread([&] { EXPECT_FALSE(wait_beside(never, road::Clock::now())); }).join();
  waiters.take_back();
  EXPECT_FALSE(waiters.any_waits());
}

TEST_F(LendingTest, TheRoleComesBackFromOneThatThrows) {
  waiters.lend();
  std::thread([&] {
    auto throws = [](const std::function<bool()>&) -> bool { throw std::runtime_error("of the test"); };
    EXPECT_THROW(waiters.wait_beside([] { return false; }, road::never, {throws}), std::runtime_error);
  }).join();
  waiters.take_back();
  EXPECT_TRUE(waiters.is_reader());
}

}  // namespace
}  // namespace octavo::detail
