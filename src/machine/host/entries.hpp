// SPDX-License-Identifier: Apache-2.0
// How many entries a directory has: of /proc/self/task the threads of this process, of /proc/self/fd its descriptors and the one that reads them.
#pragma once

#include <filesystem>

namespace octavo {

inline std::ptrdiff_t entries_of(const char* directory) {
  std::filesystem::directory_iterator first(directory), last;
  return std::distance(first, last);
}

}  // namespace octavo
