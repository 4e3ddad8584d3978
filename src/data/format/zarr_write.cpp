// SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "data/format/zarr_fill.hpp"
#include "data/format/zarr_meta.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

using Json = nlohmann::ordered_json;

Json list_of(const Shape& shape) {
  Json list = Json::array();
  for (std::int64_t extent : shape) list.push_back(extent);
  return list;
}

Json json_of(const std::string& text, const char* what) {
  try {
    return Json::parse(text);
  } catch (const Json::exception& e) {
    throw usage_error(std::string("the ") + what + " of the new array are not JSON: " + e.what(), "Give JSON text");
  }
}

}  // namespace

std::string zarr_meta_text(const ZarrMeta& meta) {
  Json codec = {{"name", "bytes"}};
  if (size_of(meta.type) > 1) codec["configuration"] = {{"endian", meta.order == byte_order::big ? "big" : "little"}};
  Json json;
  json["zarr_format"] = 3;
  json["node_type"] = "array";
  json["shape"] = list_of(meta.shape);
  json["data_type"] = std::string(name_of(meta.type));
  json["chunk_grid"] = {{"name", "regular"}, {"configuration", {{"chunk_shape", list_of(meta.chunk)}}}};
  json["chunk_key_encoding"] = {{"name", meta.v2_keys ? "v2" : "default"}, {"configuration", {{"separator", std::string(1, meta.separator)}}}};
  json["fill_value"] = fill_json(meta.fill, meta.type);
  json["codecs"] = Json::array({codec});
  json["attributes"] = meta.attributes_json.empty() ? Json::object() : json_of(meta.attributes_json, "attributes");
  if (!meta.dimension_names_json.empty()) json["dimension_names"] = json_of(meta.dimension_names_json, "dimension names");
  return json.dump(2) + "\n";
}

std::string zarr_chunk_key(bool v2_keys, char separator, const Shape& chunk_index) {
  std::string key = v2_keys ? "" : "c";
  for (std::int64_t index : chunk_index) {
    if (!key.empty()) key += separator;
    key += std::to_string(index);
  }
  return key.empty() ? "0" : key;  // v2, no dimensions
}

}  // namespace octavo
