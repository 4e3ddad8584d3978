// SPDX-License-Identifier: Apache-2.0
// The closed list of errors, as Python classes: octavo.errors defines them, this raises them, and knows them again.
#pragma once

#include <nanobind/nanobind.h>

namespace octavo::bindings {

void add_errors(nanobind::module_& module);
// In a catch block of a function that Python calls directly: the exception becomes Python's, as that of a bound function does.
void restore_current_exception() noexcept;
// Throws what Python raised as the C++ class of the same kind; other exceptions as a text with their type.
[[noreturn]] void throw_as_octavo_error(nanobind::python_error& raised);

// Runs `work`, which calls Python with the interpreter's lock held.
template <class Work>
void as_octavo_errors(Work&& work) {
  try {
    work();
  } catch (nanobind::python_error& raised) {
    throw_as_octavo_error(raised);
  }
}

}  // namespace octavo::bindings
