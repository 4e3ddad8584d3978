// SPDX-License-Identifier: Apache-2.0
#include "data/text/json_fields.hpp"

#include <algorithm>

#include "data/text/text_file.hpp"
#include "octavo/base/bytes.hpp"

namespace octavo {

JsonFields::JsonFields(const Json& json, const std::string& file, const char* cure) : json_(json), file_(file), cure_(cure) {
  if (!json.is_object()) throw usage_error("'" + file + "' is not a JSON object", "Check that it is the metadata of an array");
}

usage_error JsonFields::bad(const std::string& name, const std::string& what) const {
  return usage_error("'" + file_ + "': the field '" + name + "' " + what, cure_);
}

not_supported JsonFields::unsupported(const std::string& what, const std::string& cure) const { return not_supported("'" + file_ + "': " + what, cure); }

const Json& JsonFields::field(const Json& in, const std::string& name) const {
  auto found = in.find(name);
  if (found == in.end()) throw bad(name, "is missing");
  return *found;
}

std::string JsonFields::text_in(const Json& in, const std::string& name) const {
  const Json& value = field(in, name);
  if (!value.is_string()) throw bad(name, "is not a string: " + shown(value));
  return value.get<std::string>();
}

Shape JsonFields::shape_in(const Json& in, const std::string& name) const {
  const Json& value = field(in, name);
  if (!value.is_array()) throw bad(name, "is not a list of integers");
  if (value.size() > max_dims)
    throw unsupported("the field '" + name + "' has " + std::to_string(value.size()) + " dimensions; at most " + std::to_string(max_dims) + " are supported",
                      "Merge or split dimensions");
  Shape result;
  for (const auto& extent : value) {
    if (!extent.is_number_unsigned() || extent.get<std::uint64_t>() > std::uint64_t{1} << 62)
      throw bad(name, "has the extent " + shown(extent) + "; an integer from 0 to 2^62 is needed");
    result.push_back(extent.get<std::int64_t>());
  }
  return result;
}

void JsonFields::check_chunk(const Storage& meta, const std::string& name) const {
  if (meta.chunk.size() != meta.shape.size())
    throw bad(name, "has " + std::to_string(meta.chunk.size()) + " dimensions and the shape " + std::to_string(meta.shape.size()));
  for (std::int64_t extent : meta.chunk)
    if (extent == 0) throw bad(name, "is " + meta.chunk.text() + ": a chunk needs extents of at least 1");
  check_elements(meta.chunk, meta.type, "'" + file_ + "': " + name);
  Shape stored = meta.shape;
  for (int axis = 0; axis < stored.size(); ++axis) stored[axis] = round_up(meta.shape[axis], meta.chunk[axis]);  // edge chunks are whole on the disk
  check_shape(stored, meta.type, "'" + file_ + "': shape in whole chunks");
}

Shape chunk_for(const Shape& shape, const Shape& stored) {
  Shape chunk = stored;
  for (int axis = 0; axis < std::min(shape.size(), chunk.size()); ++axis)
    if (chunk[axis] == 0 && shape[axis] == 0) chunk[axis] = 1;
  return chunk;
}

bool are_dimension_names(const Json& value, int dims) {
  return value.is_array() && value.size() == static_cast<std::size_t>(dims) &&
         std::all_of(value.begin(), value.end(), [](const Json& name) { return name.is_string() || name.is_null(); });
}

Json list_of(const Shape& shape) { return std::vector<std::int64_t>(shape.begin(), shape.end()); }

}  // namespace octavo
