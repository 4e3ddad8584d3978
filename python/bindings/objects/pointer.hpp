// SPDX-License-Identifier: Apache-2.0
// octavo._core.PointerBase and octavo._core.Method: a remote pointer to a Python object and a method of it, which is kept in the pointer, so that
// `p.inc(1)` in a loop makes no new objects. The operators are those of the subclass, octavo/objects/pointers.py.
//
// A name that is no method (`p.total`) is asked for in the object's process. Which names are methods, the class says where the object was made; a
// pointer that arrived asks once. Threading: with the interpreter's lock.
#pragma once

#include <nanobind/nanobind.h>

#include <string_view>

#include "octavo/machine/address.hpp"

namespace octavo::bindings {

bool is_pointer(nanobind::handle object);
// Of one.
const Address& address_of(nanobind::handle pointer);
std::string_view title_of(nanobind::handle pointer);
// `names`: two frozensets, of its methods' names and of those that are `async def`, or None where they are not known.
nanobind::object make_pointer(const Address& address, std::string_view title, nanobind::handle names);
void add_pointer(nanobind::module_& m);

}  // namespace octavo::bindings
