// SPDX-License-Identifier: Apache-2.0
// The zarr.json of a Zarr v3 array: https://zarr-specs.readthedocs.io/en/latest/v3/core/v3.0.html
//
// Uncompressed arrays only (the one codec is `bytes`); everything else is not_supported, with the codec's name and the cure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "octavo/data/stored.hpp"

namespace octavo {

struct ZarrMeta {
  Shape shape, chunk;
  dtype type = dtype::float64;
  byte_order order = byte_order::little;
  std::vector<std::byte> fill;  // one element in native order
  bool v2_keys = false;
  char separator = '/';
  std::string attributes_json, dimension_names_json;  // as text; empty: none
};

// `file` is named in errors.
ZarrMeta parse_zarr_meta(std::string_view text, const std::string& file);
// Of the array directory `path`; says so if it is a group, Zarr v2 or nothing of the kind.
ZarrMeta read_zarr_meta(const std::string& path);
std::string zarr_meta_text(const ZarrMeta& meta);
// The file of a chunk, relative to the array's directory: "c/0/3", "c.0.3", "0/3"...
std::string zarr_chunk_key(bool v2_keys, char separator, const Shape& chunk_index);

}  // namespace octavo
