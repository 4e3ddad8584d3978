// SPDX-License-Identifier: Apache-2.0
// JSON as Zarr's writers make it: Python's also put NaN, Infinity and -Infinity into it, which JSON does not have, integers of any length, and halves of
// surrogate pairs. All are kept.
//
//   Json json = parse_json(text, "a.zarr/zarr.json");   std::string same = json_text(json);
//
// Bounded: size, nesting and number of fields. Failure: usage_error and not_supported, which name the file.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace octavo {

using Json = nlohmann::ordered_json;

inline constexpr std::int64_t largest_json = std::int64_t{16} << 20;
inline constexpr int deepest_json = 64;
// In memory each of these stands in a string behind a mark: "\x01#NaN" is a number that C++ has no JSON for, "\x01d800" half of a pair, and "\x01=" the
// character 1 itself.
Json bare_number(std::string_view word);
// The word of such a number; none for what is none.
std::optional<std::string> bare_word(const Json& value);

// The field "consolidated_metadata" at the top is left out: it may be huge, and nothing of it is needed here.
Json parse_json(std::string_view text, const std::string& file, int deepest = deepest_json);
std::string json_text(const Json& json, int indent = -1);

// For messages: as visible() has it (machine/utf8.hpp), about 80 bytes.
std::string cut(const std::string& text);
std::string shown(const Json& value);

}  // namespace octavo
