// SPDX-License-Identifier: Apache-2.0
#include "objects/deferred_interrupt.hpp"

#include <unistd.h>

#include <csignal>

#include "octavo/machine/detail/interrupts.hpp"

namespace nb = nanobind;

namespace octavo::bindings {

bool may_be_interrupted() { return ::getpid() == ::gettid() && !detail::interrupts_are_left(); }

DeferredInterrupt::DeferredInterrupt() {
  if (!may_be_interrupted()) return;
  nb::object handler = nb::module_::import_("_signal").attr("getsignal")(SIGINT);
  if (!PyCallable_Check(handler.ptr())) return;
  before_ = set_handler(nb::cpp_function([came = came_](nb::handle, nb::handle) { *came = true; }));
}

DeferredInterrupt::~DeferredInterrupt() {
  if (before_.is_valid()) (void)set_handler(before_);
  if (*came_) PyErr_SetInterrupt();  // the main thread's own wait looks soon
}

nb::object DeferredInterrupt::set_handler(const nb::object& handler) {
  constexpr int most_tries = 10;  // more handlers do not raise one after the other: it says that this is not the main thread of Python
  for (int i = 0; i < most_tries; ++i) try {
      return nb::module_::import_("_signal").attr("signal")(SIGINT, handler);
    } catch (nb::python_error& error) {
      if (error.matches(PyExc_KeyboardInterrupt)) *came_ = true;
      else error.discard_as_unraisable("a signal handler, beside a callback of octavo.Future");
    }
  return {};
}

}  // namespace octavo::bindings
