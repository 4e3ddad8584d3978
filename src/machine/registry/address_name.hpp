// SPDX-License-Identifier: Apache-2.0
// The names of persistent objects: "data/set/PageDevice/34", written as an address with "ov://" before it.
//
//   address_name("ov://data/set/PageDevice/34") == "data/set/PageDevice/34";
//
// A name is UTF-8 of 1 to 1024 bytes without control characters; its parts, between '/', are neither empty nor "." nor "..". Case counts.
// Threading: pure functions. Failure: usage_error with the name and what is wrong with it.
#pragma once

#include <string>
#include <string_view>

namespace octavo {

inline constexpr std::size_t longest_name = 1024;

// The name in an address: without "ov://" if it begins so; checked.
std::string address_name(std::string_view text);
// What a listing begins with: as address_name, but "" and "ov://" mean all names, and one '/' may stand at the end.
std::string address_prefix(std::string_view text);

// Why it cannot stand in a name or in the name of a class: "it has a control character"; empty if it can.
std::string_view wrong_with_text(std::string_view text) noexcept;
// For messages: control characters and bytes that are no UTF-8 as "\x07", and no more than `most` bytes of it.
std::string printable(std::string_view text, std::size_t most = 80);

}  // namespace octavo
