// SPDX-License-Identifier: Apache-2.0
// A condition variable between the processes, threads and objects of a program on one machine, used with an octavo::Mutex as a
// std::condition_variable is with its own.
//
//   octavo::Mutex mutex("table");  octavo::Condition changed("table");
//   std::unique_lock lock(mutex);
//   changed.wait(lock, [&] { return is_full(); });     // elsewhere: change(); changed.notify_all();
//   if (!changed.wait_for(lock, 2s, [&] { return is_full(); })) ...
//
// The machine's agent takes the waiter in and gives up his mutex in one step, and notifies: no notification falls between, and none wakes nobody's.
// Who was notified takes the mutex in his turn. Waiting serves callbacks, as for a call (C-3), while the mutex is not held. Who notifies need not hold
// the mutex. What tells that the condition is fulfilled must be shared, too: a file, an object, an array. Names: as for a Mutex (mutex.hpp).
// A waiter that dies is forgotten; what he was notified of goes to the next.
// Threading: any. Copies are the same condition. It belongs to the object, or Runtime, it was made in, and travels.
// Failure: lock_abandoned (who held the mutex died: the lock is NOT held then, and owns nothing), usage_error (the lock is not held, or made elsewhere),
// refused (bounds), gone_error (the program ends). After any of these the lock is not held; but after usage_error and refused as it was.
#pragma once

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>

#include "octavo/message/mutex.hpp"

namespace octavo {

class Condition {
 public:
  Condition() = default;
  explicit Condition(std::string name);
  [[nodiscard]] const std::string& name() const noexcept { return name_; }

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

  template <class Archive>
  void save(Archive& archive) const {
    archive(name_);
  }
  template <class Archive>
  void load(Archive& archive) {
    archive(name_);
    if (!name_.empty()) open();
  }

 private:
  void open();
  [[nodiscard]] const detail::Lock& opened() const {
    if (!lock_) raise_nameless();
    return *lock_;
  }
  [[noreturn]] static void raise_nameless();
  void notify(std::uint64_t how_many) const;
  std::cv_status wait_until_time(std::unique_lock<Mutex>& lock, std::chrono::steady_clock::time_point deadline) const;

  std::string name_;
  std::shared_ptr<detail::Lock> lock_;
};

}  // namespace octavo
