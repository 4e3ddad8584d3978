// SPDX-License-Identifier: Apache-2.0
// The metadata of a Zarr array: v3's zarr.json (https://zarr-specs.readthedocs.io/en/latest/v3/core/v3.0.html), v2's .zarray and .zattrs.
//
// Arrays in C order, as they are or encoded by codecs that Octavo has itself (data/codec), in shards as well; everything else is not_supported, with the
// codec's name and the cure. What is read has no path.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "data/text/json.hpp"
#include "octavo/data/storage.hpp"

namespace octavo {

// xarray's attribute for what v3 has a field for; read into and written from dimension_names_json.
inline constexpr const char* zarr2_dimension_names = "_ARRAY_DIMENSIONS";

// The cure for what zarr-python reads and the C++ library does not.
inline constexpr const char* resave_uncompressed =
    "The octavo command and the Python package read it through zarr-python; or re-save it uncompressed, in Python: "
    "zarr.create_array(..., compressors=None, filters=None, shards=None)";

// What makes a directory an array, in the order in which they count.
inline constexpr std::array zarr_metadata_names{"/zarr.json", "/.zarray"};
// The path of the one that is there; empty: none is.
std::string zarr_metadata_in(const std::string& path);

// The text of a zarr.json; `file` is named in errors.
Storage parse_zarr_meta(std::string_view text, const std::string& file);
Storage zarr_meta_of(const Json& json, const std::string& file);
// The texts of .zarray and .zattrs (empty: there is none) in the array's directory `path`, which is named in errors.
Storage parse_zarr2_meta(std::string_view zarray, std::string_view zattrs, const std::string& path);
// Of the array directory `path`, v3 if it is both. A group is an error that names arrays within it.
Storage read_zarr_meta(const std::string& path);

std::string zarr_meta_text(const Storage& meta);
std::string zarr2_meta_text(const Storage& meta);
// Of .zattrs; empty if nothing is to be said.
std::string zarr2_attributes_text(const Storage& meta);

// The file of a chunk, relative to the array's directory: "c/0/3", "c.0.3", "0/3"...
std::string zarr_chunk_key(bool v2_keys, char separator, const Shape& chunk_index);

}  // namespace octavo
