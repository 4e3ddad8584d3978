// SPDX-License-Identifier: Apache-2.0
// What a thread that waits in C++, without the interpreter's lock, looks at now and then: whether Python's signal handlers raise (Ctrl-C), in the main
// thread; and whether the program's Runtime, which it uses, ends.
#pragma once

#include <nanobind/nanobind.h>

#include "lock.hpp"
#include "octavo/base/error.hpp"
#include "octavo/process/detail/other_languages.hpp"

namespace octavo::bindings {

inline void look_at_signals() {
  const Locked locked;
  if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
}

// By a thread that has a detail::Visit.
inline void check_runtime_goes_on() {
  if (detail::Visit::ends()) throw gone_error(detail::gone_text());
}

}  // namespace octavo::bindings
