// SPDX-License-Identifier: Apache-2.0
// Whether messages can lie in a directory (FL-1, run_directory.hpp).
#pragma once

#include <string>

namespace octavo::road::files {

// Throws usage_error for no directory, refused where nothing can be made there, io_error where there is no room, timed_out where its file system does not
// answer within 10 s; each says which file system it is.
void check_place(const std::string& directory);

}  // namespace octavo::road::files
