// SPDX-License-Identifier: Apache-2.0
#include "machine/registry/address_name.hpp"

#include "machine/utf8.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

std::string_view without_scheme(std::string_view text) noexcept {
  constexpr std::string_view scheme = "ov://";
  return text.starts_with(scheme) ? text.substr(scheme.size()) : text;
}

usage_error bad(std::string_view text, const std::string& what) {
  return usage_error("'" + printable(text) + "' is no name: " + what, "Write it like ov://data/set/PageDevice/34");
}

void check(std::string_view name, std::string_view text) {
  if (name.empty()) throw bad(text, "it is empty");
  if (name.size() > longest_name) throw bad(text, "it has " + std::to_string(name.size()) + " bytes, more than " + std::to_string(longest_name));
  if (auto wrong = wrong_with_text(name); !wrong.empty()) throw bad(text, std::string(wrong));
  for (std::size_t at = 0; at <= name.size();) {
    std::size_t end = std::min(name.find('/', at), name.size());
    auto part = name.substr(at, end - at);
    if (part.empty()) throw bad(text, "a part of it is empty");
    if (part == "." || part == "..") throw bad(text, "a part of it is '" + std::string(part) + "'");
    at = end + 1;
  }
}

}  // namespace

std::string address_name(std::string_view text) {
  auto name = without_scheme(text);
  check(name, text);
  return std::string(name);
}

std::string address_prefix(std::string_view text) {
  auto name = without_scheme(text);
  if (name.empty()) return {};
  if (name.ends_with('/')) name.remove_suffix(1);
  check(name, text);
  return std::string(name);
}

std::string_view wrong_with_text(std::string_view text) noexcept {
  while (!text.empty()) {
    std::uint32_t code = 0;
    std::size_t bytes = utf8_character(text, code);
    if (bytes == 0) return "it is not UTF-8";
    if (is_control_character(code)) return "it has a control character";
    text.remove_prefix(bytes);
  }
  return {};
}

std::string printable(std::string_view text, std::size_t most) { return visible(text, most); }

}  // namespace octavo
