// SPDX-License-Identifier: Apache-2.0
// A process is killed while it holds a lock, while it waits for one, while it waits at a condition, and at any moment: the others go on, and who
// comes next hears of it once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <random>
#include <thread>

#include "conformance/message/lock_clerk.hpp"
#include "kit/left_behind.hpp"
#include "kit/watchdog.hpp"
#include "process/locks/lock.hpp"

namespace lock_tests {
namespace {

using testing::HasSubstr;

class LockDeath : public testing::Test {
 protected:
  // Returns when its agent has told us of its death, and so has dealt with it.
  template <class T>
  static void kill(int pid, ov::future<T>& call) {
    ::kill(pid, SIGKILL);
    EXPECT_THROW(call.get(), ov::process_died);
  }
  static void kill(const ov::remote_ptr<Clerk>& clerk) {
    ::kill(clerk->pid(), SIGKILL);
    for (bool died = false; !died;) try {
        clerk->pid();
      } catch (const ov::process_died&) {
        died = true;
      }
  }
  void await_waiter() const {
    const auto lock = ov::detail::Lock::open(ov::lock_kind::mutex, mutex.name());
    while ((lock->word().load() & ov::lock_word::contended) == 0) std::this_thread::yield();  // the watchdog bounds it
  }
  void expect_abandoned(const std::function<void()>& what) {
    try {
      what();
      ADD_FAILURE() << "nothing was heard of the death";
    } catch (const ov::lock_abandoned& e) {
      EXPECT_THAT(e.what(), HasSubstr("was held by a process that died: lock_tests::Clerk (process "));
      EXPECT_THAT(e.what(), HasSubstr("was killed by SIGKILL"));
      EXPECT_EQ(e.kind(), ov::error_kind::gone);
    }
  }
  void expect_free() {
    EXPECT_TRUE(mutex.try_lock());
    mutex.unlock();
  }

  ov::kit::Watchdog watchdog{60};
  ov::Runtime runtime;
  ov::Mutex mutex{"m"};
  ov::Condition condition{"c"};
  ov::Mailbox<int> begun{"begun"};
};

TEST_F(LockDeath, OfAHolderIsHeardByWhoWaits) {
  auto clerk = ov::process.make<Clerk>();
  const int pid = clerk->pid();
  clerk->lock(mutex);
  std::thread killer([&] {
    await_waiter();
    ::kill(pid, SIGKILL);
  });
  expect_abandoned([&] { mutex.lock(); });
  killer.join();
  expect_free();
}

TEST_F(LockDeath, OfAHolderIsHeardByWhoComesNext) {
  for (auto how : {+[](const ov::Mutex& m) { m.lock(); }, +[](const ov::Mutex& m) { EXPECT_TRUE(m.try_lock()); },
                   +[](const ov::Mutex& m) { EXPECT_TRUE(m.try_lock_for(std::chrono::hours(1))); }}) {
    auto clerk = ov::process.make<Clerk>();
    clerk->lock(mutex);
    kill(clerk);
    expect_abandoned([&] { how(mutex); });
    expect_free();
  }
}

TEST_F(LockDeath, IsHeardOnceAndWithItsTextFarAway) {
  auto clerk = ov::process.make<Clerk>(), first = ov::process.make<Clerk>(), second = ov::process.make<Clerk>();
  clerk->lock(mutex);
  kill(clerk);
  expect_abandoned([&] { first->lock(mutex); });  // thrown there, and caught here by its type
  EXPECT_EQ(second->error_of_lock(mutex), "none");
  second->unlock(mutex);
}

TEST_F(LockDeath, OfAWaiterIsHeardByNobody) {
  auto clerk = ov::process.make<Clerk>(), other = ov::process.make<Clerk>();
  const int pid = clerk->pid();
  mutex.lock();
  auto waits = ov::start(clerk)->lock(mutex);
  await_waiter();
  auto also_waits = ov::start(other)->lock(mutex);
  kill(pid, waits);
  mutex.unlock();
  also_waits.get();
  EXPECT_FALSE(mutex.try_lock());
  other->unlock(mutex);
  expect_free();
}

TEST_F(LockDeath, WhatOneWasGivenIsNotItsSuccessors) {
  for (int life = 0; life < 3; ++life) {  // in the same place, with requests of the same numbers
    auto clerk = ov::process.make<Clerk>();
    mutex.lock();
    auto waits = ov::start(clerk)->lock(mutex);
    await_waiter();
    EXPECT_FALSE(waits.wait_for(std::chrono::milliseconds(5)));
    mutex.unlock();
    waits.get();
    clerk->unlock(mutex);
    kill(clerk);
  }
  expect_free();
}

TEST_F(LockDeath, WhileItIsStoppedOthersGiveUp) {
  auto clerk = ov::process.make<Clerk>();
  const int pid = clerk->pid();
  clerk->lock(mutex);
  ov::kit::stop(pid);
  EXPECT_FALSE(mutex.try_lock());
  EXPECT_FALSE(mutex.try_lock_for(std::chrono::milliseconds(1)));
  ::kill(pid, SIGCONT);
  clerk->unlock(mutex);
  expect_free();
}

TEST_F(LockDeath, OfOneAtAConditionIsHeardByNobody) {
  auto clerk = ov::process.make<Clerk>(), other = ov::process.make<Clerk>();
  const int pid = clerk->pid();
  auto waits = ov::start(clerk)->wait_for_ever(mutex, condition, begun);
  EXPECT_EQ(begun.retrieve(), 1);
  { std::lock_guard lock(mutex); }
  auto waits_too = ov::start(other)->wait_once(mutex, condition, begun);
  EXPECT_EQ(begun.retrieve(), 1);
  { std::lock_guard lock(mutex); }
  kill(pid, waits);
  condition.notify_one();
  EXPECT_TRUE(waits_too.get());
  expect_free();
}

TEST_F(LockDeath, WhatOneWasNotifiedOfGoesToTheNext) {
  auto clerk = ov::process.make<Clerk>(), other = ov::process.make<Clerk>();
  const int pid = clerk->pid();
  auto waits = ov::start(clerk)->wait_for_ever(mutex, condition, begun);
  EXPECT_EQ(begun.retrieve(), 1);
  { std::lock_guard lock(mutex); }
  auto waits_too = ov::start(other)->wait_once(mutex, condition, begun);
  EXPECT_EQ(begun.retrieve(), 1);
  mutex.lock();
  condition.notify_one();
  await_waiter();  // the first one waits for the mutex by now
  kill(pid, waits);
  mutex.unlock();
  EXPECT_TRUE(waits_too.get());
}

TEST_F(LockDeath, OfAHolderIsHeardByWhoWasNotified) {
  auto clerk = ov::process.make<Clerk>();
  const int pid = clerk->pid();
  std::unique_lock lock(mutex);
  std::thread killer([&] {
    clerk->lock(mutex);  // once we wait
    condition.notify_one();
    ::kill(pid, SIGKILL);
  });
  try {
    condition.wait(lock);
    ADD_FAILURE() << "nothing was heard of the death";
  } catch (const ov::lock_abandoned& e) {
    EXPECT_EQ(e.lock(), "mutex 'm'");
    EXPECT_FALSE(lock.owns_lock());
  }
  killer.join();
  expect_free();
}

TEST_F(LockDeath, GivesItsUnitsBack) {
  ov::Semaphore units("units", 2);
  auto clerk = ov::process.make<Clerk>();
  clerk->acquire(units);
  clerk->acquire(units);
  kill(clerk);
  expect_abandoned([&] { units.acquire(); });
  units.acquire();
  units.acquire();
  EXPECT_FALSE(units.try_acquire());
}

TEST_F(LockDeath, OfOneThatWaitsForAUnitIsHeardByNobody) {
  ov::Semaphore units("units", 0);
  auto clerk = ov::process.make<Clerk>();
  const int pid = clerk->pid();
  auto waits = ov::start(clerk)->acquire(units);
  kill(pid, waits);
  units.release();
  units.acquire();
  EXPECT_FALSE(units.try_acquire());
}

// Wherever in lock and unlock they are: the mutex goes on, and each death is heard at most once.
TEST_F(LockDeath, AtAnyMoment) {
  constexpr int rounds = 25;
  std::mt19937 random(20'240'601);
  int heard = 0;
  for (int round = 0; round < rounds; ++round) {
    std::array clerks{ov::process.make<Clerk>(), ov::process.make<Clerk>()};
    std::array pids{clerks[0]->pid(), clerks[1]->pid()};
    std::array work{ov::start(clerks[0])->lock_for_ever(mutex, begun), ov::start(clerks[1])->lock_for_ever(mutex, begun)};
    EXPECT_EQ(begun.retrieve() + begun.retrieve(), 2);
    // A moment by the clock: on a machine busier than its cores a yield may take as long as others like.
    for (auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 1000); std::chrono::steady_clock::now() < until;)
      std::this_thread::yield();
    for (std::size_t i = 0; i < 2; ++i) kill(pids[i], work[i]);
    for (bool locked = false; !locked;) try {
        std::lock_guard lock(mutex);
        locked = true;
      } catch (const ov::lock_abandoned&) {
        ++heard;
      }
  }
  EXPECT_LE(heard, 2 * rounds);
  RecordProperty("heard", heard);
  expect_free();
}

}  // namespace
}  // namespace lock_tests
