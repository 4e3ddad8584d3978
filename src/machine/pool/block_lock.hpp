// SPDX-License-Identifier: Apache-2.0
// The lock of one block's counts: a word in shared memory that says whose slot has it, so that the agent finds what a dead process left locked.
//
//   BlockLock lock(block.lock, slot);              // waits; if the holder died, until the agent of the dead process has taken the lock over
//   BlockLock lock = BlockLock::take_over(block.lock, dead_slot, slot);   // by the agent; `if (!lock)`: another has it, and keeps it
//   BlockLock lock = BlockLock::within(block.lock, slot, patience);       // `if (!lock)`: not in time
//
// Held for some tens of instructions, or hundreds where a page is freed, but for a process that is stopped just then. Threading: any thread of any process; not
// recursive.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include "octavo/road/doorbell.hpp"

namespace octavo {

class BlockLock {
 public:
  BlockLock(std::atomic<std::uint32_t>& word, unsigned slot) : word_(&word) {
    if (!take(slot)) wait(slot, road::never);
  }
  static BlockLock within(std::atomic<std::uint32_t>& word, unsigned slot, road::Clock::duration patience);
  // Takes the lock from the dead slot, or waits for a living holder, but only for some milliseconds: then the result is false.
  static BlockLock take_over(std::atomic<std::uint32_t>& word, unsigned dead, unsigned slot);
  BlockLock(BlockLock&& other) noexcept : word_(std::exchange(other.word_, nullptr)) {}
  ~BlockLock() {
    if (word_ != nullptr) unlock(*word_);
  }
  explicit operator bool() const noexcept { return word_ != nullptr; }
  void unlock() noexcept { unlock(*std::exchange(word_, nullptr)); }
  // The word stays locked; finish_change() unlocks it with the block's last store.
  void leave_locked() noexcept { word_ = nullptr; }

  static bool is_of(const std::atomic<std::uint32_t>& word, unsigned slot) noexcept {
    return (word.load(std::memory_order_acquire) & ~somebody_waits) == slot + 1;
  }
  // Whichever slot holds it.
  static void unlock(std::atomic<std::uint32_t>& word) noexcept {
    if ((word.exchange(0, std::memory_order_release) & somebody_waits) != 0) wake(word);
  }

 private:
  static constexpr std::uint32_t somebody_waits = 1U << 31;
  BlockLock() = default;
  [[nodiscard]] bool take(unsigned slot) const noexcept {
    std::uint32_t nobody = 0;
    return word_->compare_exchange_strong(nobody, slot + 1, std::memory_order_acquire, std::memory_order_relaxed);
  }
  bool wait(unsigned slot, road::Deadline deadline) const;
  static void wake(std::atomic<std::uint32_t>& word) noexcept;

  std::atomic<std::uint32_t>* word_ = nullptr;
};

}  // namespace octavo
