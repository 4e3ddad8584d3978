// SPDX-License-Identifier: Apache-2.0
// Python objects with names, which outlive the program: octavo/objects/named.
#pragma once

#include <nanobind/nanobind.h>

namespace octavo::bindings {

void add_named_objects(nanobind::module_& m);

}  // namespace octavo::bindings
