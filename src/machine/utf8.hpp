// SPDX-License-Identifier: Apache-2.0
// Text that others wrote: one character after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace octavo {

// Bytes of the character that `text` begins with; 0 if it is none: cut off, longer than need be, a surrogate, beyond U+10FFFF.
std::size_t utf8_character(std::string_view text, std::uint32_t& code) noexcept;
// For messages, logs and terminals: what a terminal would obey (control characters), not show, or show elsewhere (zero-width characters, directions), and
// bytes that are no UTF-8, as "\x07". Ends in "..." where there is more than about `most` bytes.
std::string visible(std::string_view text, std::size_t most = std::string_view::npos);
constexpr bool is_control_character(std::uint32_t code) noexcept { return code < 0x20 || (code >= 0x7F && code < 0xA0); }

}  // namespace octavo
