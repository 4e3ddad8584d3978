// SPDX-License-Identifier: Apache-2.0
// Bytes, and how people write them.
//
//   octavo::parse_bytes("512MiB") == 536870912;    octavo::parse_bytes("2GB") == 2000000000;
//   octavo::format_bytes(536870912) == "512 MiB";
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace octavo {

using ByteView = std::span<const std::byte>;
using ByteSpan = std::span<std::byte>;

inline constexpr std::int64_t KiB = 1 << 10, MiB = 1 << 20, GiB = 1 << 30;

// "64", "64K", "64KiB" (binary), "64KB" (decimal), fractions allowed. Throws usage_error naming the text.
std::int64_t parse_bytes(std::string_view text);
// Binary units, three significant digits: "1.25 GiB".
std::string format_bytes(std::int64_t bytes);

constexpr std::int64_t round_up(std::int64_t value, std::int64_t step) { return (value + step - 1) / step * step; }
constexpr std::int64_t round_down(std::int64_t value, std::int64_t step) { return value / step * step; }

}  // namespace octavo
