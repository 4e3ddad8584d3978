// SPDX-License-Identifier: Apache-2.0
#include "message/locks.hpp"

#include <atomic>

#include "kit/clock.hpp"

namespace bench {

namespace {

constexpr int trips = 2000, swaps = 1'000'000;

template <class Work>
double seconds_for_each(int times, Work work) {
  auto begin = Clock::now();
  for (int i = 0; i < times; ++i) work();
  return seconds_since(begin) / times;
}

}  // namespace

double lock_and_unlock() {
  octavo::Mutex mutex("nobody else's");
  return seconds_for_each(swaps, [&] {
    mutex.lock();
    mutex.unlock();
  });
}

double compare_and_swap_twice() {
  alignas(64) std::atomic<std::uint64_t> word{0};
  return seconds_for_each(swaps, [&] {
    std::uint64_t free = 0, mine = 7;
    word.compare_exchange_strong(free, 7, std::memory_order_acquire);
    word.compare_exchange_strong(mine, 0, std::memory_order_release);
  });
}

double handing_over() {
  static const auto rival = octavo::process.make<Rival>();
  octavo::Mutex mutex("wanted");
  octavo::Condition there("there"), back("back");
  octavo::Mailbox<int> begun("begun");
  auto theirs = octavo::start(rival)->be_notified(mutex, there, back, begun, trips);
  (void)begun.retrieve();
  std::unique_lock lock(mutex);
  const double seconds = seconds_for_each(trips, [&] {
    there.notify_one();
    back.wait(lock);
  });
  lock.unlock();
  theirs.get();
  return seconds / 2;
}

double acquiring() {
  octavo::Semaphore units("units", 4);
  return seconds_for_each(trips, [&] {
    units.acquire();
    units.release();
  });
}

double unit_one_way() {
  static const auto rival = octavo::process.make<Rival>();
  octavo::Semaphore there("there", 0), back("back", 0);
  auto answers = octavo::start(rival)->answer(there, back, trips);
  const double seconds = seconds_for_each(trips, [&] {
    there.release();
    back.acquire();
  });
  answers.get();
  return seconds / 2;
}

}  // namespace bench
