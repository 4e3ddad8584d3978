// SPDX-License-Identifier: Apache-2.0
// Mutexes between the program and objects on every place of its machine, and between objects of another machine.
#include "octavo/message/mutex.hpp"

#include "conformance/message/lock_clerk.hpp"
#include "conformance/process/every_place.hpp"
#include "process/locks/lock.hpp"

namespace lock_tests {
namespace {

using namespace std::chrono_literals;
using process_tests::until;
using testing::HasSubstr;
const auto places_here = testing::Values("thread", "process");

bool somebody_waits(const ov::Mutex& mutex) {
  return (ov::detail::Lock::open(ov::lock_kind::mutex, mutex.name())->word().load() & ov::lock_word::contended) != 0;
}

class Mutexes : public process_tests::EveryPlace {
 protected:
  std::string file = (std::filesystem::temp_directory_path() / ("octavo-locks-" + std::to_string(::getpid()))).string();
  ~Mutexes() override { std::filesystem::remove(file); }
};

TEST_P(Mutexes, OneHasItAndTheNextWaits) {
  ov::Mutex mutex("m");
  auto clerk = here.make<Clerk>();
  EXPECT_FALSE(mutex.locked());
  {
    std::lock_guard lock(mutex);
    EXPECT_TRUE(mutex.locked());
    EXPECT_FALSE(clerk->try_lock(mutex));
    EXPECT_FALSE(clerk->try_lock(ov::Mutex("m"))) << "it is its name";
    EXPECT_TRUE(clerk->try_lock(ov::Mutex("n")));
  }
  EXPECT_FALSE(mutex.locked());
  EXPECT_TRUE(clerk->try_lock(mutex));
  EXPECT_TRUE(mutex.locked()) << "whoever has it";
  EXPECT_FALSE(mutex.try_lock());
  EXPECT_FALSE(mutex.try_lock_for(1ms));
  EXPECT_FALSE(mutex.try_lock_until(std::chrono::system_clock::now() + 1ms));
  clerk->unlock(mutex);
  std::unique_lock lock(mutex, 10s);
  EXPECT_TRUE(lock.owns_lock());
  auto waits = ov::start(clerk)->lock(mutex);
  until([&] { return somebody_waits(mutex); });
  EXPECT_FALSE(waits.wait_for(1ms));
  lock.unlock();
  waits.get();
  EXPECT_FALSE(mutex.try_lock());
  clerk->unlock(mutex);
  ov::Mutex other("o");
  std::scoped_lock both(mutex, other);
}

TEST_P(Mutexes, NoTwoAreInside) {
  constexpr int times = 300;
  ov::Mutex mutex("m");
  auto first = here.make<Clerk>(), second = here.make<Clerk>();
  write_number(file, 0);
  auto one = ov::start(first)->count(mutex, file, times), two = ov::start(second)->count(mutex, file, times);
  std::thread other([&] { Clerk().count(mutex, file, times); });
  Clerk().count(mutex, file, times);
  other.join();
  one.get();
  two.get();
  EXPECT_EQ(read_number(file), 4 * times);
}

TEST_P(Mutexes, C3_WaitingServesCallbacks) {
  ov::Mutex mutex("m");
  ov::Mailbox<std::string> said("said");
  auto clerk = here.make<Clerk>(), other = here.make<Clerk>();
  std::unique_lock lock(mutex);
  auto end = ov::start(clerk)->lock_and_be_called(other, clerk, mutex, said);
  EXPECT_THAT(said.retrieve(), HasSubstr("by a thread that has it already, or waits for it")) << "it would wait for itself";
  lock.unlock();
  EXPECT_EQ(end.get(), "none");
  EXPECT_TRUE(mutex.try_lock());
  mutex.unlock();
}

TEST_P(Mutexes, MistakesAreSaid) {
  ov::Mutex mutex("m");
  auto clerk = here.make<Clerk>();
  clerk->lock(mutex);
  EXPECT_THAT(clerk->error_of_lock(mutex), HasSubstr("mutex 'm' is locked by a thread that has it already"));
  EXPECT_THROW((void)clerk->try_lock(mutex), ov::usage_error);
  EXPECT_THROW(mutex.unlock(), ov::usage_error);
  clerk->unlock(mutex);
  EXPECT_THROW(clerk->unlock(mutex), ov::usage_error);
  EXPECT_THROW(ov::Mutex().lock(), ov::usage_error);
  EXPECT_THROW(ov::Mutex(""), ov::usage_error);
  EXPECT_THROW(ov::Mutex(std::string(1000, 'x')), ov::usage_error);
}

TEST_P(Mutexes, ANameThatLooksLikeAnAddressIsRefused) {
  const std::string name = "ov://house/table";  // ov://home/table is one of the home: home/home_locks_test.cpp
  EXPECT_THROW(ov::Mutex{name}, ov::usage_error);
  EXPECT_THROW((ov::Semaphore{name, 1}), ov::usage_error);
  EXPECT_THROW(ov::Condition{name}, ov::usage_error);
}

TEST_P(Mutexes, OfAnotherMachineAreOthers) {
  ov::Mutex mutex("m");
  std::unique_lock lock(mutex);
  auto box = runtime.machine("box");
  auto one = box.make<Clerk>(), two = box.make<Clerk>();
  EXPECT_TRUE(one->try_lock(mutex));
  EXPECT_FALSE(two->try_lock(mutex));
  auto waits = ov::start(two)->lock(mutex);
  one->unlock(mutex);
  waits.get();
  two->unlock(mutex);
}

TEST_P(Mutexes, OfADestroyedObjectAreAbandoned) {
  ov::Mutex mutex("m");
  auto clerk = here.make<Clerk>();
  clerk->lock(mutex);
  ov::destroy(clerk);
  try {
    mutex.lock();
    ADD_FAILURE() << "it was held";
  } catch (const ov::lock_abandoned& e) {
    EXPECT_EQ(e.lock(), "mutex 'm'");
    EXPECT_THAT(e.what(), HasSubstr("was destroyed"));
    EXPECT_THAT(e.obituary().facts.class_name, HasSubstr("Clerk"));
  }
  std::lock_guard lock(mutex);
}

TEST(ThreadMutexes, BetweenThreadsOfTheProgram) {
  ov::kit::Watchdog watchdog{60};
  ov::Runtime runtime;
  constexpr int threads = 4, times = 5000;
  ov::Mutex mutex("m");
  long count = 0;
  std::vector<std::thread> all;
  for (int t = 0; t < threads; ++t)
    all.emplace_back([&] {
      for (int i = 0; i < times; ++i) {
        std::lock_guard lock(mutex);
        ++count;
      }
    });
  for (auto& each : all) each.join();
  EXPECT_EQ(count, threads * times);
}

TEST(ThreadMutexes, BelongToTheRuntimeTheyWereMadeIn) {
  ov::kit::Watchdog watchdog{60};
  ov::Mutex mutex;
  std::unique_lock<ov::Mutex> lock;
  {
    ov::Runtime runtime;
    mutex = ov::Mutex("m");
    lock = std::unique_lock(mutex);
  }
  lock.unlock();
  EXPECT_THROW(mutex.lock(), ov::usage_error);
  ov::Runtime next;
  EXPECT_THROW(mutex.lock(), ov::usage_error);
  ov::Mutex again("m");
  std::lock_guard mine(again);
}

std::atomic<int> ended_with_error{0};
class Waiter {
 public:
  void wait(const ov::Mutex& mutex) {
    try {
      mutex.lock();
    } catch (const ov::gone_error&) {
      ++ended_with_error;
    }
  }
};
OCTAVO_REMOTE(Waiter, wait)

TEST(ThreadMutexes, WaitingEndsWithTheRuntime) {
  ov::kit::Watchdog watchdog{60};
  ended_with_error = 0;
  {
    ov::Runtime runtime;
    ov::Mutex mutex("m");
    mutex.lock();
    auto waiter = ov::thread.make<Waiter>();
    auto waits = ov::start(waiter)->wait(mutex);
    until([&] { return somebody_waits(mutex); });
  }
  EXPECT_EQ(ended_with_error, 1);
}

INSTANTIATE_TEST_SUITE_P(, Mutexes, places_here, process_tests::name_of_place);

}  // namespace
}  // namespace lock_tests
