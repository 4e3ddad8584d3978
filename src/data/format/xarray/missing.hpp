// SPDX-License-Identifier: Apache-2.0
// What stands for a missing value, as xarray and CF have it: the attribute _FillValue, a number. Zarr v2 says it by its fill_value instead, and
// in the attributes of Zarr v3 xarray writes floats as base64 of a double.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/text/json.hpp"
#include "octavo/data/storage.hpp"

namespace octavo {

inline constexpr const char* missing_name = "_FillValue";

// One element in native order, from a number (a pair for complex types) or xarray's base64; none if it is no such thing.
std::optional<std::vector<std::byte>> missing_element(const Json& value, dtype type);
// The attributes as a new array is to have them: _FillValue as xarray reads it from Zarr v3, or as a number. Other attributes stay.
std::string attributes_for(const std::string& attributes_json, dtype type, bool zarr3);

// What a copy, or else the result of a transform, takes over from its source: attributes, names of the dimensions, the fill value.
// A copy means the same to xarray as its source: what is missing there, and nothing else, is missing in it.
void carry_over(const Storage& source, bool copy, bool to_zarr2, CreateOptions& to);

}  // namespace octavo
