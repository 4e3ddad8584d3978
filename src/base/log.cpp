// SPDX-License-Identifier: Apache-2.0
#include "octavo/base/log.hpp"

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>

namespace octavo {

namespace {
constexpr std::size_t longest_setting = 200;

// Read once, by the thread that makes the first Runtime (process/thread_host.cpp): later, that would race with the user's setenv(3).
std::string_view setting() noexcept {
  static const auto kept = [] {
    std::array<char, longest_setting + 1> text{};  // no string: threads may still log when that is destroyed
    if (const char* given = std::getenv("OCTAVO_LOG")) std::string_view(given).copy(text.data(), longest_setting);
    return text;
  }();
  return kept.data();
}

// Without what a terminal would obey: names and messages of others are in it. Lines and tabs stay.
std::string harmless(std::string_view text) {
  std::string line(text);
  for (std::size_t i = 0; i < line.size(); ++i) {
    auto byte = static_cast<unsigned char>(line[i]);
    const bool second = i > 0 && static_cast<unsigned char>(line[i - 1]) == 0xc2 && byte >= 0x80 && byte < 0xa0;  // U+0080 to U+009F
    if ((byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f) line[i] = '?';
    if (second) line[i - 1] = line[i] = '?';
  }
  return line;
}

}  // namespace

void log_line(std::string_view text) noexcept {
  if (setting() == "off") return;
  try {
    std::string line = "octavo[" + std::to_string(::getpid()) + "]: " + harmless(text) + "\n";
    [[maybe_unused]] auto written = ::write(STDERR_FILENO, line.data(), line.size());
  } catch (...) {  // out of memory: the line is lost, the program is not
  }
}

bool is_logged(std::string_view topic) noexcept {
  for (std::string_view left = setting(); !left.empty();) {
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
