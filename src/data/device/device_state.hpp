// SPDX-License-Identifier: Apache-2.0
// What is checked of the state of a device with a name when it is made again: whether its file is still the one it was made over (D-10).
#pragma once

#include <exception>

#include "octavo/data/page_device.hpp"

namespace octavo {

// What the file of this storage has and no other one: of a page file the id and the number in its header, which go with its bytes; else empty.
std::string file_id_of(const Storage& storage);
// Throws io_error where the file is gone, or another one is at its place: another id, or another shape, dtype or whatever else its text says.
void check_is_there(const DeviceState& state);
// What flush() raises of what was written behind before its process died; null: nothing was.
std::exception_ptr lost_in(const DeviceState& state);

}  // namespace octavo
