// SPDX-License-Identifier: Apache-2.0
// What is checked of the state of a device with a name when it is made again.
#pragma once

#include <exception>

#include "octavo/data/page_device.hpp"

namespace octavo {

// Throws io_error where the file is gone, or another one is at its place.
void check_is_there(const DeviceState& state);
// What flush() raises of what was written behind before its process died; null: nothing was.
std::exception_ptr lost_in(const DeviceState& state);

}  // namespace octavo
