// SPDX-License-Identifier: Apache-2.0
#include "octavo/base/log.hpp"

#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <set>
#include <string>

namespace octavo {

void log_line(std::string_view text) noexcept {
  const char* setting = std::getenv("OCTAVO_LOG");
  if (setting != nullptr && std::string_view(setting) == "off") return;
  try {
    std::string line = "octavo[" + std::to_string(::getpid()) + "]: " + std::string(text) + "\n";
    [[maybe_unused]] auto written = ::write(STDERR_FILENO, line.data(), line.size());
  } catch (...) {  // out of memory: the line is lost, the program is not
  }
}

bool is_logged(std::string_view topic) noexcept {
  const char* setting = std::getenv("OCTAVO_LOG");
  if (setting == nullptr) return false;
  for (std::string_view left = setting; !left.empty();) {
    const auto comma = left.find(',');
    if (left.substr(0, comma) == topic) return true;
    left.remove_prefix(comma == std::string_view::npos ? left.size() : comma + 1);
  }
  return false;
}

void log_once(std::string_view text) {
  static std::mutex mutex;
  static std::set<std::string, std::less<>> seen;
  {
    std::lock_guard lock(mutex);
    if (!seen.emplace(text).second) return;
  }
  log_line(text);
}

}  // namespace octavo
