// SPDX-License-Identifier: Apache-2.0
#include "machine/utf8.hpp"

#include <algorithm>
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

namespace {

// Zero-width characters, and those that turn the direction of what follows.
bool is_invisible(std::uint32_t code) {
  return code == 0xad || code == 0x61c || (code >= 0x200b && code <= 0x200f) || (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) ||
         code == 0xfeff;
}

}  // namespace

std::string visible(std::string_view text, std::size_t most) {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string result;
  while (!text.empty()) {
    if (result.size() >= most) return result + "...";
    std::uint32_t code = 0;
    std::size_t bytes = utf8_character(text, code);
    if (bytes != 0 && !is_control_character(code) && !is_invisible(code)) {
      result += text.substr(0, bytes);
    } else {
      bytes = std::max<std::size_t>(bytes, 1);
      for (unsigned char byte : text.substr(0, bytes)) (((result += "\\x") += digits[byte >> 4]) += digits[byte & 15]);
    }
    text.remove_prefix(bytes);
  }
  return result;
}

}  // namespace octavo
