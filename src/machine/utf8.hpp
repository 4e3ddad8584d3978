// SPDX-License-Identifier: Apache-2.0
// Text that others wrote: one character after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace octavo {

// Bytes of the character that `text` begins with; 0 if it is none: cut off, longer than need be, a surrogate, beyond U+10FFFF.
std::size_t utf8_character(std::string_view text, std::uint32_t& code) noexcept;
constexpr bool is_control_character(std::uint32_t code) noexcept { return code < 0x20 || (code >= 0x7F && code < 0xA0); }

}  // namespace octavo
