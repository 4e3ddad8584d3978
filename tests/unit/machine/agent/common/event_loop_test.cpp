// SPDX-License-Identifier: Apache-2.0
// The agent's loop without an agent: descriptors are pipes of the test, and other threads post.
#include "machine/agent/common/event_loop.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <stdexcept>
#include <thread>
#include <vector>

#include "kit/watchdog.hpp"

namespace octavo::agent {
namespace {

class EventLoopTest : public testing::Test {
 protected:
  void run() {
    events.run([] { return -1; }, [this] { ++rounds; });
  }
  void say(const Fd& into) { ASSERT_EQ(::write(into.get(), "x", 1), 1); }

  kit::Watchdog watchdog{20};
  std::pair<Fd, Fd> first = socket_pair(SOCK_STREAM, "testing"), second = socket_pair(SOCK_STREAM, "testing");
  EventLoop events;
  int rounds = 0;
};

TEST_F(EventLoopTest, WhatCanBeReadIsHeardUntilItIsStopped) {
  events.watch(first.first.get(), [&](std::uint32_t what) {
    EXPECT_EQ(what, EPOLLIN);
    events.stop();
    char said = 0;
    EXPECT_EQ(::read(first.first.get(), &said, 1), 1);
  });
  say(first.second);
  run();
  EXPECT_EQ(rounds, 1);
}

TEST_F(EventLoopTest, WorkOfOtherThreadsIsDoneInItsOrder) {
  std::vector<int> done;
  std::thread other([&] {
    for (int i = 0; i < 3; ++i) events.post([&done, i] { done.push_back(i); });
    events.post([this] { events.stop(); });
  });
  run();
  other.join();
  EXPECT_EQ(done, (std::vector{0, 1, 2}));
}

TEST_F(EventLoopTest, WhatAHandlerThrowsStopsNothing) {
  events.post([] { throw std::runtime_error("of this test"); });
  events.post([this] { events.stop(); });
  run();
}

// Both events came in one round; whichever is first takes the other's handler away.
TEST_F(EventLoopTest, AnEventOfWhatIsNoLongerWatchedIsDropped) {
  int heard = 0;
  for (auto* each : {&first, &second})
    events.watch(each->first.get(), [&](std::uint32_t) {
      ++heard;
      events.unwatch(first.first.get());
      events.unwatch(second.first.get());
      events.stop();
    });
  say(first.second);
  say(second.second);
  run();
  EXPECT_EQ(heard, 1);
}

TEST_F(EventLoopTest, ADescriptorThatIsUsedAgainHasItsNewHandler) {
  events.watch(first.first.get(), [](std::uint32_t) { FAIL() << "of the earlier life"; });
  events.unwatch(first.first.get());
  ASSERT_EQ(::dup3(second.first.get(), first.first.get(), O_CLOEXEC), first.first.get());
  events.watch(first.first.get(), [this](std::uint32_t) { events.stop(); });
  say(second.second);
  run();
}

TEST_F(EventLoopTest, RoomIsToldOfOnlyWhereItIsAskedFor) {
  int heard = 0;
  events.watch(first.first.get(), [&](std::uint32_t what) {
    EXPECT_EQ(what, EPOLLOUT);
    events.also_writable(first.first.get(), false);
    ++heard;
    events.stop();
  });
  events.also_writable(first.first.get(), true);
  run();
  EXPECT_EQ(heard, 1);
}

}  // namespace
}  // namespace octavo::agent
