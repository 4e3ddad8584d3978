// SPDX-License-Identifier: Apache-2.0
// octavo._core.RuntimeBase and the places where Python objects are made: octavo/objects/{runtime,places}.py are their users.
#pragma once

#include <nanobind/nanobind.h>

#include "octavo/machine/placement.hpp"

namespace octavo::bindings {

// Whether objects can be made here: there is a Runtime, or this process hosts an object itself.
bool is_in_force();
// Starts making an object of `what`, a value as hosting.Host takes it. A Future of it.
nanobind::object begin_making(Placement where, nanobind::handle what, nanobind::handle title, nanobind::handle names);
void add_runtime(nanobind::module_& m);
// Adds all of the folder to the module.
void add_objects(nanobind::module_& m);

}  // namespace octavo::bindings
