// SPDX-License-Identifier: Apache-2.0
// What the system says of a process, by /proc/PID/stat.
#pragma once

#include <cstdint>
#include <optional>

namespace octavo {

struct ProcessStat {
  char state = '?';
  std::int64_t parent = 0;
  std::uint64_t started = 0;  // clock ticks after the machine: with the pid it says which process is meant
  std::int64_t resident_bytes = 0;
  std::uintptr_t arguments = 0, arguments_end = 0;  // where its command line lies in it; 0: not told
  [[nodiscard]] bool stopped() const noexcept { return state == 'T' || state == 't'; }
  [[nodiscard]] bool ended() const noexcept { return state == 'Z' || state == 'X' || state == 'x'; }
};

// Nothing: there is no such process.
std::optional<ProcessStat> stat_of(std::int64_t pid);

}  // namespace octavo
