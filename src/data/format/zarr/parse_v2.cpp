// SPDX-License-Identifier: Apache-2.0
// The .zarray and .zattrs of a Zarr v2 array: https://zarr-specs.readthedocs.io/en/latest/v2/v2.0.html
#include "data/format/zarr/codecs.hpp"
#include "data/format/zarr/fill.hpp"
#include "data/format/zarr/meta.hpp"
#include "data/text/json_fields.hpp"
#include "data/text/text_file.hpp"
#include "data/text/type_code.hpp"

namespace octavo {

namespace {

bool is_type_name(std::string_view text) {
  for (int i = 0; i < dtype_count; ++i)
    if (name_of(static_cast<dtype>(i)) == text) return true;
  return false;
}

class Zarr2Reader : public JsonFields {
 public:
  using JsonFields::JsonFields;

  Storage meta() const {
    if (const Json& version = field("zarr_format"); version != 2) throw bad("zarr_format", "is " + shown(version) + ", not 2");
    Storage result{.format = storage_format::zarr};
    result.zarr_version = 2;
    result.v2_keys = true;
    element(result);
    check_filters();
    result.shape = shape_in(json(), "shape");
    check_shape(result.shape, result.type, "'" + file() + "'");
    result.chunk = chunk_for(result.shape, shape_in(json(), "chunks"));
    check_chunk(result, "chunks");
    read_v2_codecs(*this, result);
    result.separator = separator();
    result.fill = fill(result.type);
    result.fill_is_missing = !field("fill_value").is_null();
    return result;
  }

 private:
  // "<f8": byte order, kind, bytes.
  void element(Storage& meta) const {
    const Json& value = field("dtype");
    if (value.is_array()) throw unsupported("the dtype is structured: " + shown(value), "Save each field as an array of its own");
    std::string text = text_in(json(), "dtype");
    const bool marked = !text.empty() && std::string_view("<>|").find(text[0]) != std::string_view::npos;
    auto type = type_of_code(std::string_view(text).substr(marked ? 1 : 0));
    if (!marked && (type || is_type_name(text))) throw bad("dtype", "is '" + cut(text) + "', without a byte order: it begins with none of '<', '>' and '|'");
    if (!type) throw unsupported("dtype '" + cut(text) + "' is not supported", convert_it(text));
    if (text[0] == '|' && size_of(*type) > 1) throw bad("dtype", "is '" + text + "', without a byte order");
    meta.type = *type;
    meta.order = text[0] == '>' && size_of(*type) > 1 ? byte_order::big : byte_order::little;
  }

  [[nodiscard]] std::string codec_id(const Json& codec, const std::string& name) const {
    if (!codec.is_object()) throw bad(name, "is not an object: " + shown(codec));
    return cut(text_in(codec, "id"));
  }

  void check_filters() const {
    if (auto filters = json().find("filters"); filters != json().end() && !filters->is_null()) {
      if (!filters->is_array()) throw bad("filters", "is neither null nor a list: " + shown(*filters));
      if (!filters->empty()) throw unsupported("the codec '" + codec_id((*filters)[0], "filters") + "' (a filter) is not read in C++", resave_uncompressed);
    }
  }

  [[nodiscard]] char separator() const {
    if (!json().contains("dimension_separator")) return '.';
    std::string text = text_in(json(), "dimension_separator");
    if (text != "/" && text != ".") throw bad("dimension_separator", "is '" + cut(text) + "', not '/' or '.'");
    return text[0];
  }

  [[nodiscard]] std::vector<std::byte> fill(dtype type) const {
    const Json& value = field("fill_value");
    if (value.is_null()) return std::vector<std::byte>(static_cast<std::size_t>(size_of(type)));  // undefined, so as good as any
    return parse_fill(value, type, file());
  }
};

// xarray keeps the names of the dimensions in an attribute.
void attributes(Storage& meta, std::string_view text, const std::string& file) {
  Json json = parse_json(text, file, deepest_json - 1);  // a v3 array has them one level deeper
  if (json.is_null()) return;
  if (!json.is_object()) throw usage_error("'" + file + "' is not a JSON object", "Write the array's attributes again");
  auto names = json.find(zarr2_dimension_names);
  if (names != json.end() && are_dimension_names(*names, meta.shape.size())) {
    meta.dimension_names_json = json_text(*names);
    json.erase(names);
  }
  if (!json.empty()) meta.attributes_json = json_text(json);  // as where there is no .zattrs
}

}  // namespace

Storage parse_zarr2_meta(std::string_view zarray, std::string_view zattrs, const std::string& path) {
  std::string file = path + "/.zarray";
  Json json = parse_json(zarray, file);
  Storage meta = Zarr2Reader(json, file).meta();
  if (!zattrs.empty()) attributes(meta, zattrs, path + "/.zattrs");
  return meta;
}

}  // namespace octavo
