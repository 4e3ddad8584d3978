// SPDX-License-Identifier: Apache-2.0
// "2026-11-21 15:33:52 UTC", for messages.
#pragma once

#include <array>
#include <cmath>
#include <ctime>
#include <string>

namespace octavo {

inline std::string time_text(double seconds) {
  std::tm parts{};
  std::array<char, 40> text{};
  if (!(std::abs(seconds) < 1e11)) return "at no time";
  auto whole = static_cast<std::time_t>(std::floor(seconds));
  if (::gmtime_r(&whole, &parts) == nullptr || std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &parts) == 0) return "at no time";
  return text.data();
}

}  // namespace octavo
