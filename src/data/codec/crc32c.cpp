// SPDX-License-Identifier: Apache-2.0
#include "data/codec/crc32c.hpp"

#include <array>
#include <cstring>

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

#ifdef __x86_64__
__attribute__((target("sse4.2"))) std::uint32_t crc32c_by_instruction(std::string_view bytes) noexcept {
  std::uint64_t rest = ~std::uint32_t{0};
  for (; bytes.size() >= sizeof rest; bytes.remove_prefix(sizeof rest)) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, bytes.data(), sizeof eight);
    rest = __builtin_ia32_crc32di(rest, eight);
  }
  auto last = static_cast<std::uint32_t>(rest);
  for (char byte : bytes) last = __builtin_ia32_crc32qi(last, static_cast<unsigned char>(byte));
  return ~last;
}
#endif

}  // namespace

std::uint32_t detail::crc32c_by_table(std::string_view bytes) noexcept {
  std::uint32_t rest = ~0U;
  for (char byte : bytes) rest = (rest >> 8) ^ table[(rest ^ static_cast<unsigned char>(byte)) & 0xFF];
  return ~rest;
}

std::uint32_t crc32c(std::string_view bytes) noexcept {
#ifdef __x86_64__
  if (__builtin_cpu_supports("sse4.2")) return crc32c_by_instruction(bytes);
#endif
  return detail::crc32c_by_table(bytes);
}

}  // namespace octavo
