// SPDX-License-Identifier: Apache-2.0
// Gives a new file all its disk space at once, so that a full disk shows before the first byte is moved, and the file keeps together.
// Where the file system cannot do that the file only gets its length.
#pragma once

#include <cstdint>
#include <string>

namespace octavo {

void reserve_file(int descriptor, const std::string& path, std::int64_t bytes);

}  // namespace octavo
