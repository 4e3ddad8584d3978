// SPDX-License-Identifier: Apache-2.0
// What the bindings of objects call in Python, looked up once: functions of octavo/objects/{pickling,hosting,raising}.py.
//
// Threading: with the interpreter's lock. They are kept for ever: an interpreter that ends takes nothing down before its threads are done.
#pragma once

#include <nanobind/nanobind.h>

#include "text.hpp"  // names and texts are cast in all of the folder

namespace octavo::bindings {

struct PythonTools {
  nanobind::object dumps;               // (object, buffers: list | None, address of who gets it | None) -> bytes; appends what travels beside
  nanobind::object loads;               // (bytes, buffers) -> object
  nanobind::object array_of;            // (buffer, dtype text, shape) -> numpy.ndarray
  nanobind::object array_type;          // numpy.ndarray
  nanobind::object number_of;           // (bytes, dtype text) -> a number of NumPy
  nanobind::object number_type;         // numpy.number
  nanobind::object host;                // (what to make) -> hosting.Host
  nanobind::object is_lazy;             // (result) -> whether it is a coroutine or a generator
  nanobind::object stream_handle;       // streams.StreamHandle, which comes in place of a generator
  nanobind::object stream;              // (pointer, handle) -> the reader's end
  nanobind::object describe_exception;  // (exception) -> (type name, text, traceback, pickled)
  nanobind::object raise_with_place;    // (exception, "argument 2", the argument)
  nanobind::object raise_in_request;    // (exception, name of what was to be performed, its arguments)
  nanobind::object method_of;           // pointers.method_of, by which a method is unpickled
  nanobind::object raise_remote;        // (type name, text, traceback, pickled, first origin, facts of an octavo.errors.Origin or none)
  nanobind::object pointer_type;        // pointers.Pointer
  nanobind::object future_type;         // (FutureBase) -> futures.Future
  nanobind::object warn_of_event_loop;  // ()
};
const PythonTools& tools();

}  // namespace octavo::bindings
