// SPDX-License-Identifier: Apache-2.0
// What all locks of one endpoint share: the words of its machine's mutexes, and the way to the agent. Outlives the endpoint as long as there is a
// lock of it; what is said to the agent then is dropped.
// Threading: any.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

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
  // The number of a lock that was opened here with this beginning.
  [[nodiscard]] std::optional<unsigned> number_of(lock_kind kind, const std::string& name, std::int64_t initial) const {
    std::lock_guard lock(mutex_);
    auto found = opened_.find({kind, name});
    return found == opened_.end() || found->second.initial != initial ? std::nullopt : std::optional(found->second.number);
  }
  void remember(lock_kind kind, const std::string& name, std::int64_t initial, unsigned number) {
    std::lock_guard lock(mutex_);
    opened_.emplace(std::pair(kind, name), Opened{number, initial});
  }
  // What this process knows of a mutex of the home: which of its threads has it. It stays where it is.
  LockWords::Word& home_word(const std::string& name) {
    std::lock_guard lock(mutex_);
    return home_[name];
  }
  // Of a request for a lock of the home.
  std::uint64_t new_ticket() noexcept { return ++tickets_; }
  // The endpoint has ended.
  void close() {
    std::lock_guard lock(mutex_);
    control_ = -1;
  }

 private:
  const LockWords words_;
  const unsigned slot_;
  struct Opened {
    unsigned number = 0;
    std::int64_t initial = 0;
  };
  mutable std::mutex mutex_;
  int control_;
  std::map<std::pair<lock_kind, std::string>, Opened> opened_;
  std::map<std::string, LockWords::Word> home_;
  std::atomic<std::uint64_t> tickets_{0};
};

}  // namespace octavo::detail
