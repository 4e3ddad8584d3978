// SPDX-License-Identifier: Apache-2.0
// octavo._core.FutureBase: the reply of a started call, or the pointer of an object that is being made. octavo/objects/futures.py makes a
// concurrent.futures.Future of it.
//
// Threading: any; with the interpreter's lock, which no wait keeps.
#pragma once

#include <nanobind/nanobind.h>

#include "objects/host.hpp"

namespace octavo::bindings {

nanobind::object make_future(future<Value> reply, const Address& from);
// Of a call to all members of a group: a list.
nanobind::object make_future(future<std::vector<Value>> replies, std::vector<Address> from);
// `title` and `names`: see make_pointer().
nanobind::object make_future(future<remote_ptr<PythonObject>> made, nanobind::handle title, nanobind::handle names);
void add_future(nanobind::module_& m);

}  // namespace octavo::bindings
