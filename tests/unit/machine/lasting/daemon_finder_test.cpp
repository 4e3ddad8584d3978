// SPDX-License-Identifier: Apache-2.0
// Reaching a lasting agent, without one: the test says what comes of it.
#include "machine/lasting/daemon_finder.hpp"

#include <gtest/gtest.h>

#include <condition_variable>
#include <deque>
#include <mutex>

#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"
#include "unit/machine/agent/fakes.hpp"

namespace octavo::agent {
namespace {

class DaemonFinderTest : public testing::Test {
 protected:
  // As the agent's thread does it.
  void run_next() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return !posted.empty(); });
    auto work = std::move(posted.front());
    posted.pop_front();
    lock.unlock();
    work();
  }

  kit::Watchdog watchdog{20};
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::function<void()>> posted;
  std::vector<bool> tries;
  bool fails = false, refuses = false;
  int met = 0, fulfilled = 0;
  std::shared_ptr<fake::Requester> requester = std::make_shared<fake::Requester>();
  DaemonFinder finder{{.reach = [this](bool again, const std::stop_token&) -> std::unique_ptr<road::Link> {
                         tries.push_back(again);
                         if (fails) throw io_error("of this test");
                         return nullptr;
                       },
                       .post =
                           [this](std::function<void()> work) {
                             std::lock_guard lock(mutex);
                             posted.push_back(std::move(work));
                             changed.notify_all();
                           },
                       .met =
                           [this](std::unique_ptr<road::Link>) {
                             ++met;
                             if (refuses) throw io_error("of this test");
                           },
                       .fulfil = [this](const RequesterPtr&, const control::Notice&) { ++fulfilled; }}};
};

TEST_F(DaemonFinderTest, RequestsWaitUntilItIsReached) {
  finder.postpone(requester, control::Names{});
  finder.postpone(requester, control::Open{});
  EXPECT_EQ(fulfilled, 0);
  run_next();
  EXPECT_EQ(met, 1);
  EXPECT_EQ(fulfilled, 2);
  EXPECT_EQ(tries, std::vector{false}) << "it is reached once";
}

TEST_F(DaemonFinderTest, WhereItCannotBeReachedAllAreRefused) {
  fails = true;
  finder.postpone(requester, control::Names{});
  run_next();
  EXPECT_NE(requester->last<control::Failed>(), nullptr);
  EXPECT_EQ(met, 0);
}

TEST_F(DaemonFinderTest, WhereItCannotBeMetAllAreRefused) {
  refuses = true;
  finder.postpone(requester, control::Names{});
  run_next();
  EXPECT_NE(requester->last<control::Failed>(), nullptr);
  EXPECT_EQ(fulfilled, 0);
}

TEST_F(DaemonFinderTest, WhatMayBeHeardTwiceIsAskedAgain) {
  PeerAgent lost;
  lost.kind = peer_kind::daemon;
  lost.id = 18;
  EXPECT_TRUE(finder.ask_again(lost, {requester, control::Open{}, 0, {}}));
  run_next();
  EXPECT_EQ(fulfilled, 1);
  EXPECT_EQ(tries, std::vector{true});
  EXPECT_FALSE(finder.ask_again(lost, {requester, control::Spawn{}, 0, {}})) << "it may have been made";
  lost.id = 0;
  EXPECT_TRUE(finder.ask_again(lost, {requester, control::Spawn{}, 0, {}})) << "the lost agent never heard of it";
  run_next();
}

TEST_F(DaemonFinderTest, ARequestIsTriedInThreeLives) {
  PeerAgent lost;
  lost.kind = peer_kind::daemon;
  lost.id = 18;
  for (int life = 0; life < 3; ++life) {
    EXPECT_TRUE(finder.ask_again(lost, {requester, control::Open{}, 0, {}}));
    run_next();
  }
  EXPECT_FALSE(finder.ask_again(lost, {requester, control::Open{}, 0, {}}));
}

TEST_F(DaemonFinderTest, OtherAgentsAreNotAskedAgain) {
  PeerAgent lost;
  lost.id = 18;
  EXPECT_FALSE(finder.ask_again(lost, {requester, control::Open{}, 0, {}}));
}

}  // namespace
}  // namespace octavo::agent
