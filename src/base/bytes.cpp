// SPDX-License-Identifier: Apache-2.0
#include "octavo/base/bytes.hpp"

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>

#include "octavo/base/error.hpp"

namespace octavo {

std::int64_t parse_bytes(std::string_view text) {
  auto bad = [&] { return usage_error("not a size: '" + std::string(text) + "'", "Write it like 512MiB, 2GiB, 1.5G or 64 MB"); };
  std::string given;
  for (char c : text) given += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  while (given.starts_with(' ')) given.erase(0, 1);
  while (given.ends_with(' ')) given.pop_back();
  double value = 0;
  auto [end, status] = std::from_chars(given.data(), given.data() + given.size(), value);
  if (status != std::errc() || !(value >= 0)) throw bad();
  std::string_view unit(end, static_cast<std::size_t>(given.data() + given.size() - end));
  while (!unit.empty() && unit.front() == ' ') unit.remove_prefix(1);
  double factor = 1;
  if (!unit.empty() && unit != "B") {
    auto power = std::string_view("KMGTP").find(unit.front());
    if (power == std::string_view::npos) throw bad();
    unit.remove_prefix(1);
    if (unit.empty() || unit == "IB" || unit == "I") factor = std::pow(1024.0, static_cast<double>(power + 1));
    else if (unit == "B") factor = std::pow(1000.0, static_cast<double>(power + 1));
    else throw bad();
  }
  if (value * factor > 9e18) throw bad();
  return static_cast<std::int64_t>(value * factor);
}

std::string format_bytes(std::int64_t bytes) {
  static constexpr std::array units{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (std::abs(value) >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  std::array<char, 32> text{};
  const char* form = unit == 0 || value == std::floor(value) ? "%.0f %s" : value < 10 ? "%.2f %s" : value < 100 ? "%.1f %s" : "%.0f %s";
  std::snprintf(text.data(), text.size(), form, value, units[unit]);
  return text.data();
}

}  // namespace octavo
