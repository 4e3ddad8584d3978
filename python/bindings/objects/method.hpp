// SPDX-License-Identifier: Apache-2.0
// octavo._core.Method: calling it calls the method of a remote object, and waits. Threading: with the interpreter's lock.
#pragma once

#include <nanobind/nanobind.h>

#include "objects/exchange.hpp"
#include "octavo/machine/address.hpp"

namespace octavo::bindings {

// `runs`: how it is called. `of_class`: a weak reference to the object's class, by which the method knows its text and signature; or None.
nanobind::object make_method(const Address& of, nanobind::handle name, nanobind::handle title, how runs, nanobind::handle of_class);
bool is_method(nanobind::handle object);
// Starts it: an octavo.Future. Throws usage_error where `method` is none.
nanobind::object start_method(nanobind::handle method, nanobind::args arguments, nanobind::kwargs keywords);
// What calling it with these arguments asks of its object, and how. Throws usage_error where `method` is none.
std::pair<Value, how> request_of_method(nanobind::handle method, const nanobind::tuple& arguments, const nanobind::dict& keywords);
void add_method(nanobind::module_& m);

}  // namespace octavo::bindings
