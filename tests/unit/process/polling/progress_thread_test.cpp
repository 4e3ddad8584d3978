// SPDX-License-Identifier: Apache-2.0
// The thread that reads what nobody waits for.
#include "process/polling/progress_thread.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <stdexcept>
#include <thread>

#include "kit/watchdog.hpp"

namespace octavo::detail {
namespace {

class ProgressThreadTest : public testing::Test {
 protected:
  void until_one_reads() const {
    while (waiters.nobody_reads()) std::this_thread::yield();
  }
  kit::Watchdog watchdog{60};
  road::Doorbell bell = road::Doorbell::make();
  Waiters waiters{bell};
};

TEST_F(ProgressThreadTest, ReadsWhatNobodyWaitsForAndGivesWay) {
  std::atomic<int> reads{0};
  ProgressThread progress(waiters, [&](const std::function<bool()>& give_way) {
    ++reads;
    bell.wait(give_way);
  });
  EXPECT_TRUE(waiters.nobody_reads()) << "not needed yet";
  for (int round = 0; round < 20; ++round) {
    progress.need();
    until_one_reads();
    bool mine = false;
    EXPECT_TRUE(waiters.wait([&] { return mine; }, road::never, [&] { return mine = true; }));
  }
  progress.end();
  EXPECT_GT(reads, 0);
  EXPECT_TRUE(waiters.nobody_reads());
}

TEST_F(ProgressThreadTest, WhatReadingThrowsDoesNotEndIt) {
  std::atomic<int> reads{0};
  std::promise<void> again;
  ProgressThread progress(waiters, [&](const std::function<bool()>&) {
    if (++reads == 2) again.set_value();
    throw std::runtime_error("a connection that cannot be read");
  });
  progress.need();
  again.get_future().wait();
}

}  // namespace
}  // namespace octavo::detail
