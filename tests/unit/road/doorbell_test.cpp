// SPDX-License-Identifier: Apache-2.0
// B-1 for an owner that sleeps in epoll; that wait() keeps it is seen by every road.
#include "octavo/road/doorbell.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <thread>

#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"

namespace {

using octavo::Fd;
using octavo::road::Doorbell;

Fd copy(int descriptor) { return Fd(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0)); }
bool rings_within(const Doorbell& bell, int milliseconds) {
  pollfd poll{bell.event(), POLLIN, 0};
  return ::poll(&poll, 1, milliseconds) == 1;
}
bool nothing() { return false; }

class PolledDoorbell : public testing::Test {
 protected:
  octavo::kit::Watchdog watchdog{60};
  Doorbell owner = Doorbell::make_polled();
  Doorbell other = Doorbell::open(copy(owner.descriptor()), copy(owner.event()));
};

TEST_F(PolledDoorbell, WritesOnlyToASleeper) {
  EXPECT_EQ(Doorbell::make().event(), -1);
  other.ring();
  EXPECT_FALSE(rings_within(owner, 0)) << "awake: nothing is written";
  EXPECT_TRUE(owner.doze(nothing));
  EXPECT_FALSE(rings_within(owner, 0));
  other.ring();
  other.ring();
  EXPECT_TRUE(rings_within(owner, -1));
  owner.woke(true);
  EXPECT_FALSE(rings_within(owner, 0));
  other.ring();
  EXPECT_FALSE(rings_within(owner, 0)) << "B-2: once for each sleep";
}

TEST_F(PolledDoorbell, B1_RungBetweenTheAnnouncementAndTheSecondLook) {
  bool done = false;
  EXPECT_FALSE(owner.doze([&] {
    other.ring();  // at the worst moment
    return done = true;
  }));
  owner.woke(true);
  EXPECT_FALSE(owner.doze([&] { return done; }));
}

TEST_F(PolledDoorbell, B1_RungBetweenTheSecondLookAndTheSleep) {
  EXPECT_TRUE(owner.doze(nothing));
  other.ring();
  EXPECT_TRUE(rings_within(owner, -1));
}

TEST_F(PolledDoorbell, B1_AWriteThatComesLateWakesOnceForNothing) {
  EXPECT_TRUE(owner.doze(nothing));
  owner.woke(false);  // by something else, while another has seen us asleep
  std::uint64_t one = 1;
  ASSERT_EQ(::write(owner.event(), &one, sizeof one), 8);  // its write comes now
  EXPECT_TRUE(owner.doze(nothing));
  EXPECT_TRUE(rings_within(owner, -1));
  owner.woke(true);
  EXPECT_TRUE(owner.doze(nothing));
  EXPECT_FALSE(rings_within(owner, 0));
}

TEST_F(PolledDoorbell, WhoHasNoEventDoesNotTakeTheWakeUpAway) {
  auto plain = Doorbell::open(copy(owner.descriptor()));
  EXPECT_TRUE(owner.doze(nothing));
  plain.ring();
  other.ring();
  EXPECT_TRUE(rings_within(owner, -1));
}

TEST_F(PolledDoorbell, IsAPlainOneToo) {
  std::atomic<bool> ready{false};
  std::thread ringer([&] {
    ready.store(true);
    other.ring();
  });
  EXPECT_TRUE(owner.wait([&] { return ready.load(); }));
  ringer.join();
}

TEST_F(PolledDoorbell, B1_NoWakeUpIsLostInAHandToHandRace) {
  constexpr int rounds = 20000;
  auto partner = Doorbell::make_polled();
  std::atomic<int> ball{0};
  auto play = [&](const Doorbell& mine, const Doorbell& yours, int me) {
    for (int i = me; i < rounds; i += 2) {
      while (ball.load(std::memory_order_relaxed) != i) {
        bool sleep = mine.doze([&] { return ball.load(std::memory_order_relaxed) == i; });
        ASSERT_TRUE(!sleep || rings_within(mine, -1));
        mine.woke(sleep);
      }
      ball.store(i + 1, std::memory_order_relaxed);
      yours.ring();
    }
  };
  std::thread first([&] { play(owner, partner, 0); });
  play(partner, owner, 1);
  first.join();
  EXPECT_EQ(ball.load(), rounds);
}

// Two threads of one owner, each waiting for its own: neither takes the other's wake-up.
TEST(DoorbellBeside, B1_TwoThreadsOfOneOwner) {
  octavo::kit::Watchdog watchdog{60};
  const auto owner = Doorbell::make(), other = Doorbell::open(copy(owner.descriptor()));
  constexpr int rounds = 2000;
  struct Word {
    std::atomic<int> said{0}, seen{0};
  } first, second;
  std::jthread waits([&] {
    for (int i = 1; i <= rounds; ++i) {
      owner.wait([&] { return first.said.load() == i; });
      first.seen.store(i);
    }
  });
  std::jthread waits_beside([&] {
    for (int i = 1; i <= rounds; ++i) {
      owner.wait_beside([&] { return second.said.load() == i; });
      second.seen.store(i);
    }
  });
  for (int i = 1; i <= rounds; ++i)
    for (auto* word : {&first, &second}) {
      word->said.store(i);
      other.ring();
      while (word->seen.load() != i) std::this_thread::yield();
    }
}

}  // namespace
