// SPDX-License-Identifier: Apache-2.0
// An object that has a segment, wherever it is.
#pragma once

#include <unistd.h>

#include <atomic>
#include <string>

#include "octavo/message.hpp"

namespace segment_tests {

namespace ov = octavo;
using Numbers = ov::Segment<std::uint64_t>;

class Sharer {
 public:
  int pid() const { return ::getpid(); }
  void keep(Numbers numbers) { numbers_ = std::move(numbers); }
  void open(const std::string& name, std::uint64_t elements) { numbers_ = Numbers(name, elements); }
  void make(std::uint64_t elements) { numbers_ = Numbers(elements); }
  void let_go() { numbers_ = {}; }
  std::uint64_t size() const { return numbers_.size(); }
  std::uint64_t load(std::uint64_t at) const { return numbers_[at]; }
  void store(std::uint64_t at, std::uint64_t number) { numbers_[at] = number; }
  Numbers kept() const { return numbers_; }
  Numbers fresh(std::uint64_t elements, std::uint64_t number) const {
    Numbers made(elements);
    made[0] = number;
    return made;
  }
  void post(const ov::Mailbox<Numbers>& to) const { to.post(numbers_); }
  // Only the mutex makes this right.
  void count(const Numbers& numbers, ov::Mutex mutex, int times) const {
    for (int i = 0; i < times; ++i) {
      std::lock_guard lock(mutex);
      numbers[0] = numbers[0] + 1;
    }
  }
  // Adds one whenever the first number has this remainder.
  void turns(const Numbers& numbers, ov::Mutex mutex, const ov::Condition& changed, std::uint64_t remainder, int times) const {
    for (int i = 0; i < times; ++i) {
      std::unique_lock lock(mutex);
      changed.wait(lock, [&] { return numbers[0] % 2 == remainder; });
      numbers[0] = numbers[0] + 1;
      changed.notify_one();
    }
  }
  // Opens it and lets go of it, until it is killed.
  void open_for_ever(const std::string& name, std::uint64_t elements, const ov::Mailbox<int>& begun) const {
    for (bool first = true;; first = false) {
      const Numbers numbers(name, elements);
      numbers[elements - 1] = 17;
      if (first) begun.post(1);
    }
  }
  // Changes both numbers under the mutex, and is killed between them, or not.
  void change_for_ever(const Numbers& numbers, ov::Mutex mutex, const ov::Mailbox<int>& begun) const {
    for (bool first = true;; first = false) {
      std::lock_guard lock(mutex);
      numbers[0] = numbers[0] + 1;
      if (first) begun.post(1);
      std::atomic_signal_fence(std::memory_order_seq_cst);  // a kill comes between two instructions
      numbers[1] = numbers[0];
    }
  }

 private:
  Numbers numbers_;
};
OCTAVO_REMOTE(Sharer, pid, keep, open, make, let_go, size, load, store, kept, fresh, post, count, turns, open_for_ever, change_for_ever)

inline std::int64_t free_bytes() { return ov::job_pool().free_bytes(); }

}  // namespace segment_tests
