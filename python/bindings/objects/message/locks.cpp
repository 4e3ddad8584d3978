// SPDX-License-Identifier: Apache-2.0
#include "objects/message/locks.hpp"

#include <nanobind/stl/optional.h>

#include <string>

#include "objects/message/waiting.hpp"
#include "octavo/message/barrier.hpp"
#include "octavo/message/condition.hpp"
#include "octavo/message/detail/other_languages.hpp"
#include "octavo/message/event.hpp"
#include "octavo/message/semaphore.hpp"
#include "octavo/process/detail/member.hpp"
#include "text.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace octavo::bindings {

namespace {

// Only a thread that may be interrupted looks up meanwhile: each time it asks anew, and others that wait come before it.
template <class Wait>
bool wait_for_lock(std::optional<double> seconds, const Wait& wait) {
  if (may_be_interrupted()) return wait_in_steps(seconds, wait);
  const auto deadline = wait_deadline(seconds);
  const TurnGivenUp given_up;
  const Unlocked unlocked;
  const detail::Visit visit;
  return told_of_end([&] { return wait(deadline == detail::forever() ? WaitClock::duration::max() : deadline - WaitClock::now()); });
}

// Of a mutex, or a semaphore: without a wait, or for so long.
template <class Lock, class Try, class Wait>
bool acquire(const Lock& lock, std::optional<double> seconds, const Try& try_now, const Wait& wait) {
  if (!seconds || *seconds > 0) return wait_for_lock(seconds, [&](WaitClock::duration time) { return wait(lock, time); });
  const Unlocked unlocked;
  const detail::Visit visit;
  return try_now(lock);
}
bool acquire_mutex(const Mutex& mutex, std::optional<double> seconds) {
  return acquire(
      mutex, seconds, [](const Mutex& lock) { return lock.try_lock(); }, [](const Mutex& lock, auto time) { return lock.try_lock_for(time); });
}
bool acquire_unit(const Semaphore& units, std::optional<double> seconds) {
  return acquire(
      units, seconds, [](const Semaphore& lock) { return lock.try_acquire(); }, [](const Semaphore& lock, auto time) { return lock.try_acquire_for(time); });
}

// The mutex is held when this returns, also by an exception, but where the Runtime ends.
bool wait_at(const Condition& self, Mutex& mutex, std::optional<double> seconds) {
  std::unique_lock lock(mutex, std::adopt_lock);
  try {
    const bool notified = wait_for_lock(seconds, [&](WaitClock::duration time) { return self.wait_for(lock, time) == std::cv_status::no_timeout; });
    lock.release();
    return notified;
  } catch (...) {
    if (!lock.owns_lock()) {
      const Unlocked unlocked;
      const detail::Visit visit;
      if (!detail::Visit::ends()) mutex.lock();
    }
    lock.release();
    throw;
  }
}

void look_up() {
  check_runtime_goes_on();
  if (may_be_interrupted()) look_at_signals();
}

// None: this thread is to do its action.
std::optional<std::size_t> wait_at_barrier(const Barrier& self, std::optional<double> seconds, bool has_action) {
  const auto deadline = wait_deadline(seconds);
  const TurnGivenUp given_up;
  const Unlocked unlocked;
  const detail::Visit visit;
  return told_of_end([&] { return self.come(deadline, has_action, &look_up); });
}

bool wait_for_event(const Event& self, std::optional<double> seconds) {
  return wait_for_lock(seconds, [&](WaitClock::duration time) { return self.wait_for(time); });
}

void add_meetings(nb::module_& m) {
  nb::class_<Barrier>(m, "Barrier")
      .def(nb::init<std::string, std::size_t>(), "name"_a, "parties"_a)
      .def_prop_ro("name", [](const Barrier& self) { return self.name(); })
      .def_prop_ro("parties", &Barrier::parties)
      .def_prop_ro("n_waiting", &Barrier::n_waiting, nb::call_guard<Unlocked>())
      .def_prop_ro("broken", &Barrier::broken, nb::call_guard<Unlocked>())
      .def("wait", &wait_at_barrier, "timeout"_a.none(), "has_action"_a)
      .def("has_acted", &Barrier::has_acted, nb::call_guard<Unlocked>())
      .def("reset", &Barrier::reset, nb::call_guard<Unlocked>())
      .def("abort", &Barrier::abort, nb::call_guard<Unlocked>());
  nb::class_<Event>(m, "Event")
      .def(nb::init<std::string>(), "name"_a)
      .def_prop_ro("name", [](const Event& self) { return self.name(); })
      .def("set", &Event::set, nb::call_guard<Unlocked>())
      .def("clear", &Event::clear, nb::call_guard<Unlocked>())
      .def("is_set", &Event::is_set, nb::call_guard<Unlocked>())
      .def("wait", &wait_for_event, "timeout"_a.none());
}

}  // namespace

void add_locks(nb::module_& m) {
  nb::class_<Mutex>(m, "Mutex")
      .def(nb::init<std::string>(), "name"_a)
      .def_prop_ro("name", [](const Mutex& self) { return self.name(); })
      .def("acquire", &acquire_mutex, "timeout"_a.none())
      .def("release", &Mutex::unlock)
      .def("locked", &Mutex::locked)
      .def("is_held", &detail::holds);
  nb::class_<Semaphore>(m, "Semaphore")
      .def(nb::init<std::string, std::ptrdiff_t>(), "name"_a, "initial"_a)
      .def_prop_ro("name", [](const Semaphore& self) { return self.name(); })
      .def("acquire", &acquire_unit, "timeout"_a.none())
      .def("release", &Semaphore::release, "units"_a, nb::call_guard<Unlocked>());
  nb::class_<Condition>(m, "Condition")
      .def(nb::init<std::string>(), "name"_a)
      .def_prop_ro("name", [](const Condition& self) { return self.name(); })
      .def("wait", &wait_at, "mutex"_a, "timeout"_a.none())
      .def("notify_one", &Condition::notify_one, nb::call_guard<Unlocked>())
      .def("notify_all", &Condition::notify_all, nb::call_guard<Unlocked>());
  add_meetings(m);
  m.def("new_number", &detail::new_number);
}

}  // namespace octavo::bindings
