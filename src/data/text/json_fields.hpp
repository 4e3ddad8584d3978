// SPDX-License-Identifier: Apache-2.0
// Taking fields from the metadata of an array: each error names the file and the field.
#pragma once

#include <string>

#include "data/text/json.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/storage.hpp"

namespace octavo {

class JsonFields {
 public:
  // Both must stay. Throws if it is no object. `cure` is that of bad().
  JsonFields(const Json& json, const std::string& file, const char* cure = "Write the array's metadata again");

  [[nodiscard]] usage_error bad(const std::string& name, const std::string& what) const;
  [[nodiscard]] not_supported unsupported(const std::string& what, const std::string& cure) const;

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
  const char* cure_;
};

// As stored, but 1 where chunk and shape are 0: without elements each is as good, and a page needs an extent.
Shape chunk_for(const Shape& shape, const Shape& stored);

// A list with a name, or null, for each dimension.
bool are_dimension_names(const Json& value, int dims);

Json list_of(const Shape& shape);

}  // namespace octavo
