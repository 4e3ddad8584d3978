// SPDX-License-Identifier: Apache-2.0
// A condition variable between the processes, threads and objects of a program on one machine, used with an octavo::Mutex as a
// std::condition_variable is with its own.
//
//   octavo::Mutex mutex("table");  octavo::Condition changed("table");
//   std::unique_lock lock(mutex);
//   changed.wait(lock, [&] { return is_full(); });     // elsewhere: change(); changed.notify_all();
//   if (!changed.wait_for(lock, 2s, [&] { return is_full(); })) give_up();
//
// The machine's agent queues the waiting thread and gives up its mutex in one step: no notification is lost in between, and each goes to a thread that was
// waiting when it was sent. A notified thread takes the mutex in its turn. Waiting serves callbacks, as for a call (C-3), while the mutex is not held. A thread
// that notifies need not hold the mutex. What tells that the condition is fulfilled must be shared, too: a file, an object, an array. Names: as for a Mutex
// (mutex.hpp, also HL-1 to HL-4). A waiter that dies is forgotten; what it was notified of goes to the next.
// Threading: any. Copies are the same condition. It belongs to the object, or Runtime, it was made in, and travels.
// Failure: lock_abandoned (the holder of the mutex died: the lock is NOT held then, and owns nothing), usage_error (the lock is not held, or made elsewhere),
// refused (bounds), gone_error (the program ends). After any of these the lock is not held; but after usage_error and refused as it was.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>

#include "octavo/message/mutex.hpp"

namespace octavo {

class Condition : public detail::NamedLock {
 public:
  Condition() noexcept;
  explicit Condition(std::string name);

  void notify_one() const { notify(1); }
  void notify_all() const { notify(~std::uint64_t{0}); }

  void wait(std::unique_lock<Mutex>& lock) const { wait_until_time(lock, detail::forever()); }
  template <class Predicate>
  void wait(std::unique_lock<Mutex>& lock, Predicate done) const {
    while (!done()) wait(lock);
  }
  template <class Rep, class Period>
  std::cv_status wait_for(std::unique_lock<Mutex>& lock, const std::chrono::duration<Rep, Period>& time) const {
    return wait_until_time(lock, detail::deadline_after(time));
  }
  template <class Rep, class Period, class Predicate>
  bool wait_for(std::unique_lock<Mutex>& lock, const std::chrono::duration<Rep, Period>& time, Predicate done) const {
    const auto deadline = detail::deadline_after(time);
    while (!done())
      if (wait_until_time(lock, deadline) == std::cv_status::timeout) return done();
    return true;
  }
  template <class Clock, class Duration>
  std::cv_status wait_until(std::unique_lock<Mutex>& lock, const std::chrono::time_point<Clock, Duration>& deadline) const {
    return wait_for(lock, deadline - Clock::now());
  }
  template <class Clock, class Duration, class Predicate>
  bool wait_until(std::unique_lock<Mutex>& lock, const std::chrono::time_point<Clock, Duration>& deadline, Predicate done) const {
    return wait_for(lock, deadline - Clock::now(), std::move(done));
  }

 private:
  void notify(std::uint64_t how_many) const;
  std::cv_status wait_until_time(std::unique_lock<Mutex>& lock, std::chrono::steady_clock::time_point deadline) const;
};

}  // namespace octavo
