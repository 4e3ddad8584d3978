// SPDX-License-Identifier: Apache-2.0
// An event between the processes, threads and objects of a program on one machine: it happens once, and whoever waits goes on; as Python's threading.Event.
//
//   octavo::Event loaded("loaded");               // in each of them; the same name on the same machine is the same event
//   loaded.wait();                                // until another one has called loaded.set()
//   if (!loaded.wait_for(2s)) give_up();
//
// EV-1  wait() returns once the event is set, at once where it is. set() wakes all who wait; clear() lets the next ones wait again.
// EV-2  When set() or clear() has returned, everybody sees it: whoever is told of it afterwards, by whatever way.
// EV-3  A process that dies while it waits is forgotten; an event that was set stays so, though who set it dies.
//
// Each operation asks the machine's agent: some ten microseconds. Waiting serves callbacks, as for a call (C-3). Names: as for a Mutex (mutex.hpp).
// Threading: any. Copies are the same event. It belongs to the object, or Runtime, it was made in, and travels.
// Failure: usage_error (made elsewhere), refused (bounds), gone_error (the program ends).
#pragma once

#include <chrono>

#include "octavo/message/detail/named_lock.hpp"

namespace octavo {

class Event : public detail::NamedLock {
 public:
  Event() noexcept;
  explicit Event(std::string name);

  void set() const;
  void clear() const;
  [[nodiscard]] bool is_set() const;
  void wait() const { static_cast<void>(wait_by(detail::forever())); }
  // False: it was not set in that time.
  template <class Rep, class Period>
  [[nodiscard]] bool wait_for(const std::chrono::duration<Rep, Period>& time) const {
    return wait_by(detail::deadline_after(time));
  }

 private:
  [[nodiscard]] bool wait_by(std::chrono::steady_clock::time_point deadline) const;
};

}  // namespace octavo
