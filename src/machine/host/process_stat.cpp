// SPDX-License-Identifier: Apache-2.0
#include "machine/host/process_stat.hpp"

#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

namespace octavo {

std::optional<ProcessStat> stat_of(std::int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;
  // "pid (name) state parent ...": the name may have anything in it, also ')'.
  auto end = std::getline(file, line, '\0') ? line.rfind(')') : std::string::npos;
  if (end == std::string::npos) return std::nullopt;
  std::istringstream fields(line.substr(end + 1));
  constexpr int before_start = 17, before_resident = 1, before_arguments = 23;  // fields between the parent, the start, the resident pages, and the arguments
  ProcessStat found;
  auto skip = [&fields](int count) {
    for (std::string skipped; count > 0; --count) fields >> skipped;
  };
  fields >> found.state >> found.parent;
  skip(before_start);
  fields >> found.started;
  skip(before_resident);
  std::int64_t pages = 0;
  if (!(fields >> pages)) return std::nullopt;
  found.resident_bytes = pages * ::sysconf(_SC_PAGESIZE);
  skip(before_arguments);
  if (!(fields >> found.arguments >> found.arguments_end)) found.arguments = found.arguments_end = 0;
  return found;
}

}  // namespace octavo
