// SPDX-License-Identifier: Apache-2.0
// octavo._core.RuntimeBase and the places where Python objects are made: octavo/objects/{runtime,places}.py are their users.
#pragma once

#include <nanobind/nanobind.h>

namespace octavo::bindings {

void add_runtime(nanobind::module_& m);
// Adds all of the folder to the module.
void add_objects(nanobind::module_& m);

}  // namespace octavo::bindings
