// SPDX-License-Identifier: Apache-2.0
// Taking fields from the metadata of a Zarr array, v3 or v2: each error names the file and the field.
#pragma once

#include <string>

#include "data/format/zarr/meta.hpp"
#include "data/text/json.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

// The cure for what zarr-python reads and the C++ library does not.
inline constexpr const char* resave_uncompressed =
    "The octavo command and the Python package read it through zarr-python; or re-save it uncompressed, in Python: "
    "zarr.create_array(..., compressors=None, filters=None, shards=None)";

class ZarrFields {
 public:
  // Both must stay. Throws if it is no object.
  ZarrFields(const Json& json, const std::string& file);

  [[nodiscard]] usage_error bad(const std::string& name, const std::string& what) const;
  [[nodiscard]] not_supported unsupported(const std::string& what, const std::string& cure = resave_uncompressed) const;

  [[nodiscard]] const Json& json() const { return json_; }
  [[nodiscard]] const std::string& file() const { return file_; }
  [[nodiscard]] const Json& field(const Json& in, const std::string& name) const;
  [[nodiscard]] const Json& field(const std::string& name) const { return field(json_, name); }
  [[nodiscard]] std::string text_in(const Json& in, const std::string& name) const;
  [[nodiscard]] Shape shape_in(const Json& in, const std::string& name) const;
  // meta.shape is known; `name` is the field that meta.chunk came from.
  void check_chunk(const Storage& meta, const std::string& name) const;

 private:
  const Json& json_;
  const std::string& file_;
};

// A list with a name, or null, for each dimension.
bool are_dimension_names(const Json& value, int dims);

// The metadata of a Zarr v3 array; as parse_zarr_meta.
Storage zarr3_meta(const Json& json, const std::string& file);

}  // namespace octavo
