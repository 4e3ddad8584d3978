// SPDX-License-Identifier: Apache-2.0
// What all locks of one endpoint share: the words of its machine's mutexes, and the way to the agent. Outlives the endpoint as long as there is a
// lock of it; what is said to the agent then is dropped.
//
// Threading: any.
#pragma once

#include <mutex>

#include "base/delay_point.hpp"
#include "machine/control.hpp"
#include "machine/locks/lock_words.hpp"

namespace octavo::detail {

class LockClient {
 public:
  LockClient(const Fd& memory, unsigned slot, int control) : words_(memory), slot_(slot), control_(control) {}

  [[nodiscard]] const LockWords& words() const noexcept { return words_; }
  [[nodiscard]] unsigned slot() const noexcept { return slot_; }
  void tell(const control::Notice& notice) {
    std::lock_guard lock(mutex_);
    if (control_ >= 0) control::send(control_, notice);
  }
  // `mine`: what the word of a mutex says of its holder. False if it does not.
  bool unlock(unsigned number, std::uint64_t mine) {
    auto& word = words_[number];
    auto seen = mine;
    if (word.compare_exchange_strong(seen, lock_word::free, std::memory_order_release, std::memory_order_relaxed)) return true;
    if (seen != (mine | lock_word::contended) || !word.compare_exchange_strong(seen, lock_word::contended, std::memory_order_release)) return false;
    delay_point("lock: given up, not yet said");
    tell(control::LockRelease{lock_kind::mutex, number, 1});
    return true;
  }
  // The endpoint has ended.
  void close() {
    std::lock_guard lock(mutex_);
    control_ = -1;
  }

 private:
  const LockWords words_;
  const unsigned slot_;
  std::mutex mutex_;
  int control_;
};

}  // namespace octavo::detail
