// SPDX-License-Identifier: Apache-2.0
// The library's devices for Python: octavo/objects/devices.py.
#pragma once

#include <nanobind/nanobind.h>

namespace octavo::bindings {

void add_devices(nanobind::module_& m);

}  // namespace octavo::bindings
