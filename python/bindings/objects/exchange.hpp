// SPDX-License-Identifier: Apache-2.0
// One request to a Python object and its reply.
#pragma once

#include <nanobind/nanobind.h>

#include <chrono>

#include "objects/host.hpp"
#include "octavo/wire/call_to_all.hpp"

namespace octavo::bindings {

// Waits without the interpreter's lock and the object's turn. False at the deadline. Where Ctrl-C may come, it is looked for ten times a second: the call goes
// on where it runs, this wait ends. A server waits in one piece, and so do other threads that wait for a call, which is what a search for cycles looks at
// (C-3); at a promise they look as often whether the Runtime ends.
bool wait_with_signals(detail::StateBase& state, std::chrono::steady_clock::time_point deadline);

// Where this thread runs the event loop of an object: the first call that waits there says so, in Python's way, with the cure.
void warn_of_event_loop();

enum class how : std::uint8_t { at_once, as_coroutine, in_cpp };  // in_cpp: of an object of C++
future<Value> begin(const Address& to, Value request, how runs = how::at_once);
// As a part of a call to all members of a group; without the interpreter's lock.
future<Value> begin_to_all(const Address& to, Value request, how runs, const detail::CallToAll& which);
// What octavo/objects/hosting.py does under this name, as a request.
Value request_to_perform(const Address& to, nanobind::handle name, nanobind::handle arguments);
// Raises what it holds, in Python.
[[noreturn]] void raise_in_python(const PythonRaised& raised);
// What a call gave: a stream, where it is one.
nanobind::object object_in(Value& value, const Address& from);
// The value of a future that is ready, or what it failed with.
nanobind::object result_of(future<Value>& reply, const Address& from);
// Sends and waits.
nanobind::object exchange(const Address& to, Value request, how runs = how::at_once);
// What octavo/objects/hosting.py does under this name. Throws NoPythonObject of an object of C++.
class NoPythonObject : public usage_error {
 public:
  using usage_error::usage_error;
};
nanobind::object perform(const Address& to, nanobind::handle name, nanobind::handle arguments);
// The name of the class of an object of C++, and those of the methods that Python may call: a list.
nanobind::object names_in_cpp(const Address& of);
void add_exchange(nanobind::module_& m);

}  // namespace octavo::bindings
