// SPDX-License-Identifier: Apache-2.0
// A counting semaphore between the processes, threads and objects of a program on one machine, used as a std::counting_semaphore is.
//
//   octavo::Semaphore disks("disks", 4);          // in each of them; the same name on the same machine is the same semaphore
//   disks.acquire();                              // waits for a unit
//   read();
//   disks.release();
//   if (disks.try_acquire_for(2s)) disks.release();
//
// Each operation asks the machine's agent, which counts how many each object has taken: exact, and some ten microseconds. The first to come has the
// next unit; waiting serves callbacks, as for a call (C-3). `initial` is the same wherever the name is used. Names: as for a Mutex (mutex.hpp, also HL-1 to
// HL-4). When a process or object dies, what it had acquired more than it released comes back, and the next one to acquire is told of it. An object that is
// destroyed or put to rest has used up what it took. To hand over work, where taker and giver differ, a Mailbox is the better thing.
// Threading: any. Copies are the same semaphore. It belongs to the object, or Runtime, it was made in, and travels.
// Failure: lock_abandoned (thrown once, in the next thread to acquire, which does NOT have a unit then), usage_error (another `initial`, made elsewhere),
// refused (bounds), gone_error (the program ends).
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "octavo/message/detail/named_lock.hpp"

namespace octavo {

class Semaphore : public detail::NamedLock {
 public:
  Semaphore() noexcept;
  explicit Semaphore(std::string name, std::ptrdiff_t initial);
  // So many units it has at most; what is released beyond is lost.
  static constexpr std::ptrdiff_t max() noexcept { return std::ptrdiff_t{1} << 31; }

  void acquire() const { acquire_until(detail::forever()); }
  [[nodiscard]] bool try_acquire() const;
  template <class Rep, class Period>
  [[nodiscard]] bool try_acquire_for(const std::chrono::duration<Rep, Period>& time) const {
    return acquire_until(detail::deadline_after(time));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_acquire_until(const std::chrono::time_point<Clock, Duration>& deadline) const {
    return try_acquire_for(deadline - Clock::now());
  }
  void release(std::ptrdiff_t units = 1) const;

 private:
  bool acquire_until(std::chrono::steady_clock::time_point deadline) const;  // NOLINT(modernize-use-nodiscard): acquire() knows
};

}  // namespace octavo
