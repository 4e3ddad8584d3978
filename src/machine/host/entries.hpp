// SPDX-License-Identifier: Apache-2.0
// How many entries a directory has: of /proc/self/task the threads of this process, of /proc/self/fd its descriptors and the one that reads them.
#pragma once

#include <sys/stat.h>

#include <filesystem>

namespace octavo {

inline std::ptrdiff_t entries_of(const char* directory) {
  std::filesystem::directory_iterator first(directory), last;
  return std::distance(first, last);
}

// Whether this is the only thread of its process. The system counts the threads as links of the directory, where it has one for them.
inline bool has_one_thread() {
  constexpr auto with_one = 3;
  struct stat status {};
  if (::stat("/proc/self/task", &status) == 0 && status.st_nlink >= with_one) return status.st_nlink == with_one;
  return entries_of("/proc/self/task") == 1;
}

}  // namespace octavo
