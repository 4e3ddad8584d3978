// SPDX-License-Identifier: Apache-2.0
// The library's devices for Python: octavo/objects/devices.py.
#pragma once

#include <nanobind/nanobind.h>

namespace octavo {
class PageDevice;
}

namespace octavo::bindings {

// Of an octavo._core.DeviceBase, and as long as that; any thread may use it, without the interpreter's lock.
PageDevice* device_of(nanobind::handle base);
void add_devices(nanobind::module_& m);

}  // namespace octavo::bindings
