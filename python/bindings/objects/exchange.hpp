// SPDX-License-Identifier: Apache-2.0
// One request to a Python object and its reply.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>

#include "objects/host.hpp"

namespace octavo::bindings {

// Waits without the interpreter's lock, and looks for Ctrl-C ten times a second: a call goes on where it runs, this wait ends.
template <class T>
bool wait_with_signals(const future<T>& result, std::chrono::steady_clock::time_point deadline) {
  constexpr std::chrono::milliseconds between_signals{100};
  nanobind::gil_scoped_release unlocked;
  for (;;) {
    auto now = std::chrono::steady_clock::now();
    if (result.wait_until(std::min(deadline, now + between_signals))) return true;
    if (now >= deadline) return false;
    nanobind::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) throw nanobind::python_error();
  }
}

enum class how : std::uint8_t { at_once, as_coroutine };
future<Value> begin(const Address& to, Value request, how runs = how::at_once);
// Raises what it holds, in Python.
[[noreturn]] void raise_in_python(const PythonRaised& raised);
// The value of a future that is ready, or what it failed with.
nanobind::object result_of(future<Value>& reply, const Address& from);
// Sends and waits.
nanobind::object exchange(const Address& to, Value request, how runs = how::at_once);
// What octavo/objects/hosting.py does under this name.
nanobind::object perform(const Address& to, nanobind::handle name, nanobind::handle arguments);
void add_exchange(nanobind::module_& m);

}  // namespace octavo::bindings
