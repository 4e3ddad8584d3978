// SPDX-License-Identifier: Apache-2.0
// The zarr.json of a Zarr v3 array.
#include <algorithm>
#include <array>

#include "data/format/zarr/codecs.hpp"
#include "data/format/zarr/fill.hpp"
#include "data/format/zarr/meta.hpp"
#include "data/text/json_fields.hpp"
#include "data/text/text_file.hpp"

namespace octavo {

namespace {

class Zarr3Reader : public JsonFields {
 public:
  using JsonFields::JsonFields;

  Storage meta() const {
    check_kind();
    Storage result{.format = storage_format::zarr};
    result.type = type();
    result.shape = shape_in(json(), "shape");
    check_shape(result.shape, result.type, "'" + file() + "'");
    result.chunk = chunk_for(result.shape, chunk());
    check_chunk(result, "chunk_shape");
    keys(result);
    read_codecs(*this, field("codecs"), result);
    result.fill = parse_fill(field("fill_value"), result.type, file());
    attributes(result);
    check_extensions();
    return result;
  }

 private:
  void check_kind() const {
    const Json& version = field("zarr_format");
    if (version != 3) throw bad("zarr_format", "is " + shown(version) + ", not 3");
    std::string node = text_in(json(), "node_type");
    if (node == "group") throw usage_error("'" + file() + "' is a Zarr group, not an array", "Name one of the arrays within it");
    if (node != "array") throw bad("node_type", "is '" + cut(node) + "', not 'array'");
    auto transformers = json().find("storage_transformers");
    if (transformers != json().end() && !transformers->is_null() && !transformers->empty()) throw unsupported("storage transformers", "Re-save it without");
  }

  dtype type() const {
    const Json& value = field("data_type");
    std::string name = value.is_object() && value.contains("name") && value["name"].is_string() ? value["name"].get<std::string>()
                       : value.is_string()                                                      ? value.get<std::string>()
                                                                                                : throw bad("data_type", "is not a string");
    return in_context([&] { return "'" + file() + "'"; }, [&] { return parse_dtype(cut(name)); });
  }

  Shape chunk() const {
    const Json& grid = field("chunk_grid");
    std::string name = text_in(grid, "name");
    if (name != "regular") throw unsupported("the chunk grid '" + cut(name) + "' is not read", "Re-save it with a regular chunk grid");
    return shape_in(field(grid, "configuration"), "chunk_shape");
  }

  void keys(Storage& meta) const {
    const Json& encoding = field("chunk_key_encoding");
    std::string name = encoding.is_string() ? encoding.get<std::string>() : text_in(encoding, "name");
    if (name != "default" && name != "v2") throw unsupported("the chunk key encoding '" + cut(name) + "' is not read", "Re-save it with the default encoding");
    meta.v2_keys = name == "v2";
    meta.separator = meta.v2_keys ? '.' : '/';
    if (!encoding.is_object() || !encoding.contains("configuration") || !encoding["configuration"].contains("separator")) return;
    std::string separator = text_in(encoding["configuration"], "separator");
    if (separator != "/" && separator != ".") throw bad("separator", "is '" + cut(separator) + "', not '/' or '.'");
    meta.separator = separator[0];
  }

  void attributes(Storage& meta) const {
    if (auto found = json().find("attributes"); found != json().end() && !found->is_null()) {
      if (!found->is_object()) throw bad("attributes", "is not an object: " + shown(*found));
      meta.attributes_json = json_text(*found);
    }
    if (auto found = json().find("dimension_names"); found != json().end() && !found->is_null()) {
      if (!are_dimension_names(*found, meta.shape.size())) throw bad("dimension_names", "is not a list with a name or null for each dimension");
      meta.dimension_names_json = json_text(*found);
    }
  }

  // The specification: what one does not know one must not skip, unless it says that one may.
  void check_extensions() const {
    static constexpr std::array known{"zarr_format", "node_type", "shape",      "data_type",       "chunk_grid",          "chunk_key_encoding",
                                      "fill_value",  "codecs",    "attributes", "dimension_names", "storage_transformers"};
    for (const auto& [name, value] : json().items()) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      if (value.is_object() && value.contains("must_understand") && value["must_understand"] == false) continue;
      throw unsupported("the extension '" + cut(name) + "'", "Re-save the array without it");
    }
  }
};

}  // namespace

Storage zarr_meta_of(const Json& json, const std::string& file) { return Zarr3Reader(json, file).meta(); }

Storage parse_zarr_meta(std::string_view text, const std::string& file) { return zarr_meta_of(parse_json(text, file), file); }

}  // namespace octavo
