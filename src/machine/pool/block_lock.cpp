// SPDX-License-Identifier: Apache-2.0
#include "machine/pool/block_lock.hpp"

#include <sched.h>

#include "machine/pool/shared_futex.hpp"
#include "octavo/base/poll_budget.hpp"
#include "octavo/road/pace.hpp"

namespace octavo {

namespace {
constexpr auto agents_patience = std::chrono::milliseconds(10);  // of the agent, which has others to serve: the holder may have lost the processor
}  // namespace

bool BlockLock::wait(unsigned slot, road::Deadline deadline) const {
  auto& word = *word_;
  for (;;) {
    if (road::Pace::comes_within(PollBudget::block_lock.usual, [&] { return take(slot); })) return true;
    std::uint32_t now = word.load(std::memory_order_relaxed);
    if (now == 0) continue;
    if ((now & somebody_waits) == 0 && !word.compare_exchange_strong(now, now | somebody_waits, std::memory_order_relaxed)) continue;
    if (!sleep_on(word, now | somebody_waits, deadline)) return false;
  }
}

BlockLock BlockLock::within(std::atomic<std::uint32_t>& word, unsigned slot, road::Clock::duration patience) {
  BlockLock lock;
  lock.word_ = &word;
  if (!lock.take(slot) && !lock.wait(slot, road::Clock::now() + patience)) lock.word_ = nullptr;
  return lock;
}

// All waiters: a single one that was woken might be killed before it wakes the next.
void BlockLock::wake(std::atomic<std::uint32_t>& word) noexcept { wake_all(word); }

BlockLock BlockLock::take_over(std::atomic<std::uint32_t>& word, unsigned dead, unsigned slot) {
  BlockLock lock;
  auto take = [&] {
    std::uint32_t now = word.load(std::memory_order_relaxed);
    const std::uint32_t waits = now & somebody_waits;
    if (now != 0 && (now & ~somebody_waits) != dead + 1) return false;
    return word.compare_exchange_strong(now, waits | (slot + 1), std::memory_order_acquire, std::memory_order_relaxed);
  };
  const auto until = road::Clock::now() + agents_patience;
  bool taken = road::Pace::comes_within(PollBudget::block_lock.usual, take);
  for (; !taken && road::Clock::now() < until; taken = take()) ::sched_yield();
  if (taken) lock.word_ = &word;
  return lock;
}

}  // namespace octavo
