// SPDX-License-Identifier: Apache-2.0
// A mutex between the processes, threads and objects of a program on one machine, used as a std::timed_mutex is.
//
//   octavo::Mutex mutex("table");                 // in each of them; the same name on the same machine is the same mutex
//   std::lock_guard lock(mutex);
//
//   try { std::unique_lock lock(mutex, 2s); if (!lock) return; change(table); }
//   catch (const octavo::lock_abandoned& e) { repair(table); }   // its holder died: it is not held now, and free for the next try
//
// While nobody else wants it, lock and unlock are some nanoseconds each, without a system call. Else the machine's agent hands it on, in the order in
// which they came; waiting serves callbacks, as for a call (C-3). A name lives until the program ends; there are 4096. It has nothing to do with a
// Semaphore, Condition or Mailbox of the same name, nor with a Mutex on another machine: passed there, it is that machine's. Objects with names
// that outlive the program have locks of their own. With a name of the home it is between programs, and the same for a Semaphore and a Condition:
// HL-1  A lock whose name begins with ov://home/ is one for all programs of the user that have this home, their objects, also on other machines, and
//       objects with names. The lasting agent keeps it: each use asks it, about a tenth of a millisecond, and its name is known until that agent ends. A
//       Condition of the home takes a Mutex of the home, and no other one.
// HL-2  They have it in the order in which they came. When a holder's process or object ends with it, also because its program was killed, the next one is told
//       so, once, as of any lock.
// HL-3  When unlock or release returns, others can have it: also a process that ends then has given it back.
// HL-4  If the lasting agent itself is killed, each thread that waits gets a gone_error, and the programs tell the next agent what they hold; one that
//       asks before that is told may get what another still has.
// Threading: any; the thread that locked unlocks. Copies are the same mutex. It belongs to the object, or Runtime, it was made in, and travels.
// Failure: lock_abandoned, a gone_error: its holder's process or object ended with it. Thrown once, by lock or try_lock, in the next thread that wants
// it, which does NOT have it then. usage_error: this thread has it already; or waits for it, or at a condition with it, and a callback wants it meanwhile;
// unlock without having it; it was made elsewhere. refused (bounds), gone_error (the program ends). Not found: threads that wait for each other's locks (use
// std::scoped_lock), and a thread that has ended without unlocking, in a process that goes on.
#pragma once

#include <chrono>

#include "octavo/message/detail/named_lock.hpp"

namespace octavo {

class Mutex : public detail::NamedLock {
 public:
  Mutex() noexcept;
  explicit Mutex(std::string name);

  void lock() const { lock_until(detail::forever()); }
  // Does not wait for the holder. Asks the agent only if the mutex has no holder just now, and is about to be handed on.
  [[nodiscard]] bool try_lock() const;
  void unlock() const;
  // As it was a moment ago: some thread has it, or is about to be given it. Throws not_supported for one of the home.
  [[nodiscard]] bool locked() const;
  template <class Rep, class Period>
  [[nodiscard]] bool try_lock_for(const std::chrono::duration<Rep, Period>& time) const {
    return lock_until(detail::deadline_after(time));
  }
  template <class Clock, class Duration>
  [[nodiscard]] bool try_lock_until(const std::chrono::time_point<Clock, Duration>& deadline) const {
    return try_lock_for(deadline - Clock::now());
  }

 private:
  friend class Condition;
  bool lock_until(std::chrono::steady_clock::time_point deadline) const;  // NOLINT(modernize-use-nodiscard): lock() knows
};

}  // namespace octavo
