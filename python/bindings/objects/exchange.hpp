// SPDX-License-Identifier: Apache-2.0
// One request to a Python object and its reply.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>
#include <functional>

#include "objects/host.hpp"

namespace octavo::bindings {

// Waits without the interpreter's lock, and looks for Ctrl-C ten times a second: a call goes on where it runs, this wait ends.
bool wait_with_signals(const std::function<bool(std::chrono::steady_clock::time_point)>& wait_until, std::chrono::steady_clock::time_point deadline);
template <class T>
bool wait_with_signals(const future<T>& result, std::chrono::steady_clock::time_point deadline) {
  return wait_with_signals([&](auto until) { return result.wait_until(until); }, deadline);
}
inline bool wait_with_signals(detail::StateBase& state, std::chrono::steady_clock::time_point deadline) {
  return wait_with_signals([&](auto until) { return detail::wait_for(state, until); }, deadline);
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
