// SPDX-License-Identifier: Apache-2.0
// What one worker of a stage has done, where others may read it while it works: another thread, or another process (shown.hpp).
//
//   ++mine.taken;
//   mine.timed(doing::waits_for_input, wait);              // calls wait(), and counts how long it took
//
// Threading: one writes, any read. Each word is written whole and without a locked instruction; they do not belong to one moment.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace octavo::stream {

class Figure {
 public:
  operator std::uint64_t() const noexcept { return value_.load(std::memory_order_relaxed); }  // NOLINT: it is a number
  Figure& operator=(std::uint64_t value) noexcept {
    value_.store(value, std::memory_order_release);
    return *this;
  }
  Figure& operator+=(std::uint64_t more) noexcept { return *this = *this + more; }
  Figure& operator++() noexcept { return *this += 1; }

 private:
  std::atomic<std::uint64_t> value_{0};
  static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
};

enum class doing : std::uint8_t { nothing, works, waits_for_input, waits_for_room };

// Times are ns, moments of the monotonic clock. Two lines of the cache, since processors fetch them in pairs: each worker writes its own with each item.
struct alignas(128) Counters {
  Figure taken = {}, given = {}, waited_for_input = {}, waited_for_room = {};
  Figure busy = {};   // of one that has ended, or that says itself when it works
  Figure begun = {};  // the moment; 0: busy says all
  Figure doing = {}, since = {};

  [[nodiscard]] static std::uint64_t now() noexcept {
    return static_cast<std::uint64_t>(std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
  }
  template <class Wait>
  void timed(stream::doing what, Wait&& wait) {
    const auto begin = now();
    since = begin;
    doing = static_cast<std::uint64_t>(what);
    wait();
    (what == stream::doing::waits_for_input ? waited_for_input : waited_for_room) += now() - begin;
    doing = static_cast<std::uint64_t>(stream::doing::works);
  }
  // A thread that works from here to there, but for its waits.
  void begin() noexcept {
    begun = now();
    doing = static_cast<std::uint64_t>(stream::doing::works);
  }
  void end() noexcept {
    const std::uint64_t lived = now() - begun, waited = waited_for_input + waited_for_room;
    busy = lived > waited ? lived - waited : 0;
    begun = 0;
    doing = static_cast<std::uint64_t>(stream::doing::nothing);
  }
};
static_assert(sizeof(Counters) == 128);

}  // namespace octavo::stream
