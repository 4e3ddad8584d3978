// SPDX-License-Identifier: Apache-2.0
// The locks of a machine without its processes, and what those who wait hear.
#pragma once

#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "machine/locks/lock_table.hpp"

namespace octavo {

class LockTables : public testing::Test {
 protected:
  struct Heard {
    std::uint64_t request;
    lock_outcome outcome;
    std::uint64_t of = 0;  // the object that died
    bool operator==(const Heard&) const = default;
    friend std::ostream& operator<<(std::ostream& out, const Heard& heard) {
      return out << "request " << heard.request << " outcome " << static_cast<int>(heard.outcome) << " of " << heard.of;
    }
  };
  // Object n has slot n, and one thread.
  static LockWaiter waiter(unsigned object, std::uint64_t request) { return {object, object, 1, request}; }
  static std::uint64_t word_of(unsigned object) { return lock_word::of(object, 1); }
  void lock(unsigned object, std::uint64_t request, unsigned number, bool at_once = false) {
    table.request({lock_kind::mutex, number, at_once}, waiter(object, request));
  }
  // As a process does: by its word alone, if it can.
  bool lock_fast(unsigned object, unsigned number) {
    auto free = lock_word::free;
    return words[number].compare_exchange_strong(free, word_of(object));
  }
  bool unlock_fast(unsigned object, unsigned number) {
    auto mine = word_of(object);
    return words[number].compare_exchange_strong(mine, lock_word::free);
  }
  void unlock(unsigned object, unsigned number) {
    if (unlock_fast(object, number)) return;
    leave(object, number);
    table.release(lock_kind::mutex, number, object, 1);
  }
  // It is not its holder any more, and has not told yet.
  void leave(unsigned object, unsigned number) {
    auto mine = word_of(object) | lock_word::contended;
    EXPECT_TRUE(words[number].compare_exchange_strong(mine, lock_word::contended));
  }
  void die(unsigned object, bool destroyed = false) {
    living.erase(object);
    Obituary obituary;
    obituary.facts.address = {7, 1, object};
    obituary.destroyed = destroyed;
    table.reap(object, object, obituary);
  }
  std::vector<Heard> hear() { return std::exchange(heard, {}); }

  Fd memory = LockWords::make();
  LockWords words{memory};
  std::set<std::uint64_t> living{1, 2, 3, 4, 5};
  std::vector<Heard> heard;
  LockTable table{memory,
                  [this](const LockWaiter& who, lock_outcome outcome, const Obituary* died) {
                    heard.push_back({who.request, outcome, died != nullptr ? died->facts.address.object : 0});
                  },
                  [this](std::uint64_t slot) { return living.contains(slot); }};
  unsigned m = table.open(lock_kind::mutex, "m", 0);
};

}  // namespace octavo
