// SPDX-License-Identifier: Apache-2.0
// The text of array.json, and back.
#include "data/format/pages/page_array.hpp"

#include "data/text/json_fields.hpp"
#include "data/text/text_file.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

constexpr int array_version = 1;
constexpr std::size_t longest_name = 4096;

// What people may give as text: checked, so that what is written can be read again.
Json parse_part(const std::string& text, const char* what) { return parse_json(text, std::string("the ") + what + " of an array"); }

// A value from the file within a message: ASCII, and not long.
std::string brief(const Json& value) { return value.dump(-1, ' ', true).substr(0, 80); }

class ArrayFileReader : public JsonFields {
 public:
  ArrayFileReader(const Json& json, const std::string& file) : JsonFields(json, file, "Correct it, or take it from a copy") {}

  [[nodiscard]] PageArray meta() const {
    check_version();
    PageArray result{{.format = storage_format::pages, .offset = page_file_header_bytes}};
    result.id = text_in(json(), "id");
    if (!is_array_id(result.id)) throw bad("id", "is not 32 hex digits");
    result.shape = shape("shape");
    result.chunk = shape("page");
    std::string type = text_in(json(), "dtype");
    if (type.size() > 32) throw bad("dtype", "is " + brief(type));
    result.type = in_context([&] { return "'" + file() + "'"; }, [&] { return parse_dtype(type); });
    std::string order = text_in(json(), "byte_order");
    if (order != "little" && order != "big") throw bad("byte_order", "is " + brief(order) + ", not \"little\" or \"big\"");
    result.order = order == "big" ? byte_order::big : byte_order::little;
    if (field("fill_value") != 0) throw not_supported("'" + file() + "': a fill value other than 0", "Make the array with 0");
    read_map(result);
    read_files(result);
    if (json().contains("attributes")) {
      if (!json()["attributes"].is_object()) throw bad("attributes", "is not an object");
      result.attributes_json = json_text(json()["attributes"]);
    }
    if (json().contains("dimension_names")) {
      const Json& names = json()["dimension_names"];
      if (!are_dimension_names(names, result.shape.size())) throw bad("dimension_names", "is not a list of " + std::to_string(result.shape.size()) + " names");
      result.dimension_names_json = json_text(names);
    }
    check_page_array(result, "'" + file() + "'");
    return result;
  }

 private:
  [[nodiscard]] std::int64_t integer(const Json& value, const std::string& name) const {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() < 1 || value.get<std::uint64_t>() > std::uint64_t{1} << 62)
      throw bad(name, "has " + brief(value) + " where an integer from 1 to 2^62 is needed");
    return value.get<std::int64_t>();
  }

  void check_version() const {
    if (json()["octavo_array"] != array_version)
      throw not_supported("'" + file() + "' has format version " + brief(json()["octavo_array"]) + "; this Octavo reads version 1",
                          "Read it with the version of Octavo that made it");
    static constexpr std::array known{"octavo_array", "id",         "shape",           "page",      "dtype", "byte_order", "fill_value",
                                      "map",          "attributes", "dimension_names", "page_files"};
    for (const auto& [name, value] : json().items())
      if (std::find(known.begin(), known.end(), name) == known.end())
        throw not_supported("'" + file() + "' has the field " + brief(name) + ", which this Octavo does not know", "Put what is yours into 'attributes'");
  }

  [[nodiscard]] Shape shape(const std::string& name) const {
    const Json& value = field(name);
    if (!value.is_array() || value.empty() || value.size() > max_dims) throw bad(name, "is not a list of 1 to " + std::to_string(max_dims) + " integers");
    Shape result;
    for (const auto& extent : value) result.push_back(integer(extent, name));
    return result;
  }

  void read_map(PageArray& meta) const {
    const Json& map = field("map");
    bool named = map.is_object() && map.contains("kind") && map["kind"].is_string();
    std::string kind = named ? map["kind"].get<std::string>() : throw bad("map", "has no 'kind'");
    if (kind != "circulant" && kind != "block_cyclic") throw not_supported("'" + file() + "': the map " + brief(kind), "Read it with a later version");
    if (kind == "circulant") return;
    meta.map = map_kind::block_cyclic;
    if (!map.contains("block")) throw bad("map", "has no 'block'");
    meta.map_block = integer(map["block"], "map");
  }

  void read_files(PageArray& meta) const {
    const Json& files = field("page_files");
    if (!files.is_array() || files.empty() || files.size() > most_devices)
      throw bad("page_files", "is not a list of 1 to " + std::to_string(most_devices) + " files");
    for (const auto& each : files) {
      std::string name = each.is_string() ? each.get<std::string>() : throw bad("page_files", "has something that is no string");
      bool inside = name.find('/') == std::string::npos && name != "." && name != "..";
      if (name.empty() || name.size() > longest_name || name.find('\0') != std::string::npos || (!inside && name[0] != '/'))
        throw bad("page_files", "has " + brief(name) + ", which is neither a file's name nor an absolute path");
      meta.files.push_back(std::move(name));
    }
  }
};

}  // namespace

PageFileHeader header_of(const Storage& array, std::size_t device, const std::string& id) {
  return {id, static_cast<int>(device), static_cast<int>(array.files.size()), array.type, array.order, array.chunk, array.page_map().pages_per_device()};
}

PageArray parse_page_array(std::string_view text, const std::string& file) {
  Json json = parse_json(text, file);
  if (!json.contains("octavo_array")) throw usage_error("'" + file + "' does not describe an Octavo array", "Check the path");
  return ArrayFileReader(json, file).meta();
}

PageArray read_page_array(const std::string& path, const char* name) { return parse_page_array(read_file(path + name, largest_json), path + name); }

std::string page_array_text(const PageArray& meta) {
  Json json;
  json["octavo_array"] = array_version;
  json["id"] = meta.id;
  json["shape"] = list_of(meta.shape);
  json["page"] = list_of(meta.chunk);
  json["dtype"] = std::string(name_of(meta.type));
  json["byte_order"] = meta.order == byte_order::big ? "big" : "little";
  json["fill_value"] = 0;
  json["map"] = meta.map == map_kind::circulant ? Json{{"kind", "circulant"}} : Json{{"kind", "block_cyclic"}, {"block", meta.map_block}};
  json["attributes"] = meta.attributes_json.empty() ? Json::object() : parse_part(meta.attributes_json, "attributes");
  if (!meta.dimension_names_json.empty()) json["dimension_names"] = parse_part(meta.dimension_names_json, "dimension names");
  json["page_files"] = meta.files;
  try {
    return json_text(json, 2) + "\n";
  } catch (const Json::exception&) {  // the only text that was not parsed before
    throw not_supported("the path of a page file, '" + meta.files[0] + "' or another, is not UTF-8", "Choose a directory whose name is");
  }
}

}  // namespace octavo
