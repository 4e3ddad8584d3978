// SPDX-License-Identifier: Apache-2.0
// A process, as others know it by what is in a file: enough to see that it has ended, for those on its host.
#pragma once

#include <cstdint>
#include <string>

#include "octavo/base/fd.hpp"

namespace octavo::road::files {

struct Life {
  std::uint64_t host = 0;   // this start of this kernel, and the name space of its pids
  std::uint64_t begun = 0;  // as /proc says: a number of a dead process may be given to another
  std::int64_t pid = 0;
};

Life own_life();
// Readable when it has ended. None: it is on another host, or cannot be watched.
Fd watch(const Life& life);
enum class known : std::uint8_t { lives, dead, nothing };
known look_at(const Life& life);

std::string text_of(const Life& life);
Life life_of(const std::string& text);  // all zero for what is none

}  // namespace octavo::road::files
