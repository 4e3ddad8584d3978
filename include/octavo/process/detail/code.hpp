// SPDX-License-Identifier: Apache-2.0
// The name of a function in another process: which file it is in, which build of it, and where there.
//
//   Code name = code_of(&f);          // { "solver", 0x1f.., 0x4c10 }; travels
//   const void* there = code_at(name) // throws usage_error where that file is not loaded, is another build, or has no code at the place
//
// Files are compared by the build id the linker gave them (else by inode, size and time), so that programs on other paths are understood, and one
// that was built again is not. Threading: any.
#pragma once

#include <cstdint>
#include <string>

namespace octavo::detail {

struct Code {
  std::string file;          // without its directory
  std::uint64_t build = 0;   // of that file
  std::uint64_t offset = 0;  // from where it is loaded
};

Code code_of(const void* function);
const void* code_at(const Code& code);

}  // namespace octavo::detail
