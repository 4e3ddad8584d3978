// SPDX-License-Identifier: Apache-2.0
#include "data/format/pages/crc32c.hpp"

#include <array>

namespace octavo {

namespace {

constexpr std::array<std::uint32_t, 256> table = [] {
  std::array<std::uint32_t, 256> made{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? 0x82F63B78U : 0U);
    made[byte] = rest;
  }
  return made;
}();

}  // namespace

std::uint32_t crc32c(std::string_view bytes) noexcept {
  std::uint32_t rest = ~0U;
  for (char byte : bytes) rest = (rest >> 8) ^ table[(rest ^ static_cast<unsigned char>(byte)) & 0xFF];
  return ~rest;
}

}  // namespace octavo
