// SPDX-License-Identifier: Apache-2.0
#include "machine/utf8.hpp"

#include <array>

namespace octavo {

std::size_t utf8_character(std::string_view text, std::uint32_t& code) noexcept {
  auto first = static_cast<unsigned char>(text[0]);
  std::size_t bytes = first < 0x80 ? 1 : first >> 5 == 0b110 ? 2 : first >> 4 == 0b1110 ? 3 : first >> 3 == 0b11110 ? 4 : 0;
  if (bytes == 0 || text.size() < bytes) return 0;
  code = bytes == 1 ? first : first & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    auto next = static_cast<unsigned char>(text[i]);
    if (next >> 6 != 0b10) return 0;
    code = code << 6 | (next & 0x3FU);
  }
  static constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
  return code < least[bytes] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000) ? 0 : bytes;
}

}  // namespace octavo
