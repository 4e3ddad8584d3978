// SPDX-License-Identifier: Apache-2.0
#include "data/format/zarr/codecs.hpp"
#include "data/format/zarr/fill.hpp"
#include "data/format/zarr/meta.hpp"
#include "data/text/json_fields.hpp"
#include "data/text/type_code.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

Json attributes_of(const Storage& meta) {
  if (meta.attributes_json.empty()) return Json::object();
  Json json = parse_json(meta.attributes_json, "attributes of the new array", deepest_json - 1);
  if (!json.is_object()) throw usage_error("the attributes of the new array are not a JSON object: " + shown(json), "Give an object");
  return json;
}

// null: there are none.
Json names_of(const Storage& meta) {
  if (meta.dimension_names_json.empty()) return nullptr;
  Json json = parse_json(meta.dimension_names_json, "dimension names of the new array");
  if (!json.is_null() && !are_dimension_names(json, meta.shape.size()))
    throw usage_error("the dimension names of the new array, " + shown(json) + ", are not a JSON list with a name or null for each of its " +
                          std::to_string(meta.shape.size()) + " dimensions",
                      "Give such a list");
  return json;
}

}  // namespace

std::string zarr_meta_text(const Storage& meta) {
  Json json;
  json["zarr_format"] = 3;
  json["node_type"] = "array";
  json["shape"] = list_of(meta.shape);
  json["data_type"] = std::string(name_of(meta.type));
  json["chunk_grid"] = {{"name", "regular"}, {"configuration", {{"chunk_shape", list_of(meta.block())}}}};
  json["chunk_key_encoding"] = {{"name", meta.v2_keys ? "v2" : "default"}, {"configuration", {{"separator", std::string(1, meta.separator)}}}};
  json["fill_value"] = fill_json(meta.fill, meta.type);
  json["codecs"] = codecs_of(meta);
  json["attributes"] = attributes_of(meta);
  if (Json names = names_of(meta); !names.is_null()) json["dimension_names"] = std::move(names);
  return json_text(json, 2) + "\n";
}

std::string zarr2_meta_text(const Storage& meta) {
  Json json;
  json["zarr_format"] = 2;
  json["shape"] = list_of(meta.shape);
  json["chunks"] = list_of(meta.chunk);
  json["dtype"] = type_code(meta.type, meta.order);
  json["fill_value"] = meta.fill_is_missing ? fill_json(meta.fill, meta.type, /*any_nan=*/true) : Json();
  json["order"] = v2_order_of(meta);
  json["filters"] = nullptr;
  json["dimension_separator"] = std::string(1, meta.separator);
  json["compressor"] = v2_compressor_of(meta);
  return json_text(json, 2) + "\n";
}

std::string zarr2_attributes_text(const Storage& meta) {
  Json json = attributes_of(meta);
  if (Json names = names_of(meta); !names.is_null()) json[zarr2_dimension_names] = std::move(names);
  return json.empty() ? "" : json_text(json, 2) + "\n";
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
