// SPDX-License-Identifier: Apache-2.0
// JSON as Zarr's writers make it: Python's also put NaN, Infinity and -Infinity into it, which JSON does not have. They are kept.
//
//   Json json = parse_json(text, "a.zarr/zarr.json");   std::string same = json_text(json);
//
// Bounded: size, nesting and number of fields. Failure: usage_error and not_supported, which name the file.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace octavo {

using Json = nlohmann::ordered_json;

inline constexpr std::int64_t largest_json = std::int64_t{16} << 20;
inline constexpr int deepest_json = 64;
// In memory the number NaN is a string, this mark and "NaN".
inline constexpr char bare_mark = '\x01';

// The field "consolidated_metadata" at the top is left out: it may be huge, and nothing of it is needed here.
Json parse_json(std::string_view text, const std::string& file, int deepest = deepest_json);
std::string json_text(const Json& json, int indent = -1);

// For messages: not longer than 80 bytes, valid UTF-8.
std::string cut(std::string text);
std::string shown(const Json& value);

}  // namespace octavo
