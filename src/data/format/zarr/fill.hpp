// SPDX-License-Identifier: Apache-2.0
// Zarr fill values: numbers, "NaN", "Infinity", "-Infinity", the bits as "0x...", and pairs of these for complex types. Numbers may be text, true or false,
// and integers 3.0: writers of Java and JavaScript make such, and zarr-python reads them.
#pragma once

#include <cstddef>
#include <vector>

#include "data/text/json.hpp"
#include "octavo/data/dtype.hpp"

namespace octavo {

// One element in native order. Throws usage_error that names `file`.
std::vector<std::byte> parse_fill(const Json& value, dtype type, const std::string& file);
// For an integer type the integer that `value` is, where it was written as 3.0; else `value`.
Json whole_number(const Json& value, dtype type);
// v3 writes the bits of unusual NaNs; with `any_nan`, as v2 has no such thing, each is "NaN".
Json fill_json(const std::vector<std::byte>& element, dtype type, bool any_nan = false);

}  // namespace octavo
