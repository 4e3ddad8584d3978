// SPDX-License-Identifier: Apache-2.0
// Semaphores and conditions between the program and objects on every place of its machine.
#include "octavo/message/condition.hpp"

#include "conformance/message/lock_clerk.hpp"
#include "conformance/process/every_place.hpp"

namespace lock_tests {
namespace {

using namespace std::chrono_literals;
const auto places_here = testing::Values("thread", "process");

class Semaphores : public process_tests::EveryPlace {};
class Conditions : public process_tests::EveryPlace {
 protected:
  std::string file = (std::filesystem::temp_directory_path() / ("octavo-conditions-" + std::to_string(::getpid()))).string();
  ~Conditions() override { std::filesystem::remove(file); }
  ov::Mutex mutex{"table"};
  ov::Condition changed{"table"};
  ov::Mailbox<int> begun{"begun"};
};

TEST_P(Semaphores, HaveSoManyUnits) {
  ov::Semaphore units("units", 2);
  auto clerk = here.make<Clerk>();
  clerk->acquire(units);
  EXPECT_TRUE(units.try_acquire());
  EXPECT_FALSE(units.try_acquire());
  EXPECT_FALSE(units.try_acquire_for(1ms));
  auto waits = ov::start(clerk)->acquire(units);
  units.release();
  waits.get();
  clerk->release(units);
  clerk->release(ov::Semaphore("units", 2));
  units.acquire();
  EXPECT_TRUE(units.try_acquire_until(std::chrono::steady_clock::now() + 10s));
  units.release(5);
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(units.try_acquire());
  EXPECT_FALSE(units.try_acquire());
}

TEST_P(Semaphores, MistakesAreSaid) {
  ov::Semaphore units("units", 2);
  EXPECT_THROW(ov::Semaphore("units", 3), ov::usage_error);
  EXPECT_THROW(ov::Semaphore("negative", -1), ov::usage_error);
  EXPECT_THROW(units.release(-1), ov::usage_error);
  EXPECT_THROW(ov::Semaphore().acquire(), ov::usage_error);
}

TEST_P(Semaphores, OfADestroyedObjectAreUsedUp) {
  ov::Semaphore units("units", 1);
  auto clerk = here.make<Clerk>();
  clerk->acquire(units);
  ov::destroy(clerk);
  EXPECT_FALSE(units.try_acquire());
}

TEST_P(Conditions, TwoTakeTurns) {
  constexpr int times = 300;
  write_number(file, 0);
  auto clerk = here.make<Clerk>();
  auto theirs = ov::start(clerk)->turns(mutex, changed, file, 0, times);
  Clerk().turns(mutex, changed, file, 1, times);
  theirs.get();
  EXPECT_EQ(read_number(file), 2 * times);
}

TEST_P(Conditions, AllAreNotifiedOrOne) {
  std::vector<ov::remote_ptr<Clerk>> clerks;
  std::vector<ov::future<bool>> waits;
  for (int i = 0; i < 3; ++i) {
    clerks.push_back(here.make<Clerk>());
    waits.push_back(ov::start(clerks.back())->wait_once(mutex, changed, begun));
    EXPECT_EQ(begun.retrieve(), 1);
  }
  { std::lock_guard lock(mutex); }  // all three wait now
  changed.notify_one();
  EXPECT_TRUE(waits[0].get()) << "who came first";
  EXPECT_FALSE(waits[1].wait_for(1ms));
  changed.notify_all();
  EXPECT_TRUE(waits[1].get());
  EXPECT_TRUE(waits[2].get());
}

TEST_P(Conditions, AWaitEndsInTime) {
  std::unique_lock lock(mutex);
  EXPECT_EQ(changed.wait_for(lock, 1ms), std::cv_status::timeout);
  EXPECT_TRUE(lock.owns_lock());
  EXPECT_FALSE(changed.wait_until(lock, std::chrono::steady_clock::now() + 1ms, [] { return false; }));
  EXPECT_TRUE(changed.wait_for(lock, 1ms, [] { return true; }));
  auto clerk = here.make<Clerk>();
  EXPECT_FALSE(clerk->try_lock(mutex)) << "it was taken again";
  auto holds = ov::start(clerk)->lock(mutex);
  std::thread unlocks([&] {
    holds.get();
    ov::start(clerk)->unlock(mutex).get();
  });
  EXPECT_EQ(changed.wait_for(lock, 1ms), std::cv_status::timeout) << "somebody may have the mutex by then: he is waited for";
  EXPECT_TRUE(lock.owns_lock());
  unlocks.join();
}

TEST_P(Conditions, C3_WaitingServesCallbacks) {
  ov::Mailbox<std::string> said("said");
  auto clerk = here.make<Clerk>(), other = here.make<Clerk>();
  auto end = ov::start(clerk)->wait_and_be_called(other, clerk, mutex, changed, said);
  EXPECT_THAT(said.retrieve(), testing::HasSubstr("or waits for it")) << "it would wait for itself, if it was notified meanwhile";
  { std::lock_guard lock(mutex); }
  changed.notify_all();
  EXPECT_EQ(end.get(), "notified");
}

TEST_P(Conditions, MistakesAreSaid) {
  std::unique_lock lock(mutex, std::defer_lock);
  EXPECT_THROW(changed.wait(lock), ov::usage_error);
  lock.lock();
  EXPECT_THROW(ov::Condition().wait(lock), ov::usage_error);
  EXPECT_TRUE(lock.owns_lock());
  EXPECT_THROW(ov::Condition(""), ov::usage_error);
}

INSTANTIATE_TEST_SUITE_P(, Semaphores, places_here, process_tests::name_of_place);
INSTANTIATE_TEST_SUITE_P(, Conditions, places_here, process_tests::name_of_place);

}  // namespace
}  // namespace lock_tests
