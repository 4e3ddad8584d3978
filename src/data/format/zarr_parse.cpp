// SPDX-License-Identifier: Apache-2.0
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "data/format/text_file.hpp"
#include "data/format/zarr_fill.hpp"
#include "data/format/zarr_meta.hpp"
#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

using Json = nlohmann::ordered_json;
constexpr std::int64_t largest_file = 16 * MiB;
constexpr int deepest = 64;
constexpr const char* resave =
    "Re-save it uncompressed, in Python: zarr.create_array(..., compressors=None, filters=None, shards=None); a later version reads it";

Json parse_json(std::string_view text, const std::string& file) {
  auto bounded = [&](int depth, nlohmann::detail::parse_event_t, Json&) {
    if (depth > deepest) throw not_supported("'" + file + "' is nested more than " + std::to_string(deepest) + " levels deep", "Check that it is a zarr.json");
    return true;
  };
  try {
    return Json::parse(text, bounded);
  } catch (const Json::exception& e) {
    std::string why = e.what();  // "[json.exception.parse_error.101] parse error at line 3, column 5: ..."
    auto start = why.find("] ");
    throw usage_error("'" + file + "' is not JSON: " + (start == std::string::npos ? why : why.substr(start + 2)), "Write the array's metadata again");
  }
}

class Reader {
 public:
  Reader(const Json& json, const std::string& file) : json_(json), file_(file) {}

  ZarrMeta meta() const {
    check_kind();
    ZarrMeta result;
    result.type = type();
    result.shape = shape_in(json_, "shape");
    check_shape(result.shape, result.type, "'" + file_ + "'");
    result.chunk = chunk(result.shape.size());
    check_chunk(result);
    keys(result);
    result.order = order(result.type);
    result.fill = parse_fill(field(json_, "fill_value"), result.type, file_);
    if (json_.contains("attributes")) result.attributes_json = json_["attributes"].dump();
    if (json_.contains("dimension_names") && !json_["dimension_names"].is_null()) result.dimension_names_json = json_["dimension_names"].dump();
    check_extensions();
    return result;
  }

 private:
  [[nodiscard]] usage_error bad(const std::string& name, const std::string& what) const {
    return usage_error("'" + file_ + "': the field '" + name + "' " + what, "Write the array's metadata again");
  }
  [[nodiscard]] not_supported unsupported(const std::string& what, const std::string& cure) const { return not_supported("'" + file_ + "': " + what, cure); }

  const Json& field(const Json& in, const std::string& name) const {
    auto found = in.find(name);
    if (found == in.end()) throw bad(name, "is missing");
    return *found;
  }

  std::string text_in(const Json& in, const std::string& name) const {
    const Json& value = field(in, name);
    if (!value.is_string()) throw bad(name, "is not a string: " + value.dump().substr(0, 80));
    return value.get<std::string>();
  }

  void check_kind() const {
    if (!json_.is_object()) throw usage_error("'" + file_ + "' is not a JSON object", "Name a Zarr v3 array");
    const Json& version = field(json_, "zarr_format");
    if (version == 2) throw unsupported("it is Zarr v2", "Re-save it as Zarr v3 (zarr-python 3: `zarr migrate v3 <path>`)");
    if (version != 3) throw bad("zarr_format", "is " + version.dump().substr(0, 80) + ", not 3");
    std::string node = text_in(json_, "node_type");
    if (node == "group") throw usage_error("'" + file_ + "' is a Zarr group, not an array", "Name one of the arrays within it");
    if (node != "array") throw bad("node_type", "is '" + node + "', not 'array'");
    auto transformers = json_.find("storage_transformers");
    if (transformers != json_.end() && !transformers->is_null() && !transformers->empty()) throw unsupported("storage transformers", "Re-save it without");
  }

  dtype type() const {
    const Json& value = field(json_, "data_type");
    std::string name = value.is_object() && value.contains("name") && value["name"].is_string() ? value["name"].get<std::string>()
                       : value.is_string()                                                      ? value.get<std::string>()
                                                                                                : throw bad("data_type", "is not a string");
    return in_context([&] { return "'" + file_ + "'"; }, [&] { return parse_dtype(name); });
  }

  Shape shape_in(const Json& in, const std::string& name) const {
    const Json& value = field(in, name);
    if (!value.is_array()) throw bad(name, "is not a list of integers");
    if (value.size() > max_dims)
      throw unsupported("the field '" + name + "' has " + std::to_string(value.size()) + " dimensions; at most " + std::to_string(max_dims) + " are supported",
                        "Merge or split dimensions");
    Shape result;
    for (const auto& extent : value) {
      if (!extent.is_number_unsigned() || extent.get<std::uint64_t>() > std::uint64_t{1} << 62)
        throw bad(name, "has the extent " + extent.dump().substr(0, 80) + "; an integer from 0 to 2^62 is needed");
      result.push_back(extent.get<std::int64_t>());
    }
    return result;
  }

  Shape chunk(int dims) const {
    const Json& grid = field(json_, "chunk_grid");
    std::string name = text_in(grid, "name");
    if (name != "regular") throw unsupported("the chunk grid '" + name + "' is not read", "Re-save it with a regular chunk grid");
    Shape result = shape_in(field(grid, "configuration"), "chunk_shape");
    if (result.size() != dims) throw bad("chunk_shape", "has " + std::to_string(result.size()) + " dimensions and the shape " + std::to_string(dims));
    return result;
  }

  void check_chunk(const ZarrMeta& meta) const {
    for (std::int64_t extent : meta.chunk)
      if (extent == 0) throw bad("chunk_shape", "is " + meta.chunk.text() + ": a chunk needs extents of at least 1");
    check_shape(meta.chunk, meta.type, "'" + file_ + "': chunk_shape");
    Shape stored = meta.shape;
    for (int axis = 0; axis < stored.size(); ++axis) stored[axis] = round_up(meta.shape[axis], meta.chunk[axis]);  // edge chunks are whole on the disk
    check_shape(stored, meta.type, "'" + file_ + "': shape in whole chunks");
  }

  void keys(ZarrMeta& meta) const {
    const Json& encoding = field(json_, "chunk_key_encoding");
    std::string name = encoding.is_string() ? encoding.get<std::string>() : text_in(encoding, "name");
    if (name != "default" && name != "v2") throw unsupported("the chunk key encoding '" + name + "' is not read", "Re-save it with the default encoding");
    meta.v2_keys = name == "v2";
    meta.separator = meta.v2_keys ? '.' : '/';
    if (!encoding.is_object() || !encoding.contains("configuration") || !encoding["configuration"].contains("separator")) return;
    std::string separator = text_in(encoding["configuration"], "separator");
    if (separator != "/" && separator != ".") throw bad("separator", "is '" + separator + "', not '/' or '.'");
    meta.separator = separator[0];
  }

  byte_order order(dtype type) const {
    const Json& codecs = field(json_, "codecs");
    if (!codecs.is_array() || codecs.empty()) throw bad("codecs", "is not a list with a codec");
    for (const auto& codec : codecs) {
      std::string name = codec.is_string() ? codec.get<std::string>() : text_in(codec, "name");
      if (name == "sharding_indexed") throw unsupported("sharding (the codec 'sharding_indexed') is not read yet", resave);
      if (name != "bytes") throw unsupported("the codec '" + name + "' is not read yet", resave);
    }
    if (codecs.size() != 1) throw bad("codecs", "has the codec 'bytes' twice");
    const Json& codec = codecs[0];
    bool told = codec.is_object() && codec.contains("configuration") && codec["configuration"].contains("endian");
    if (!told && size_of(type) == 1) return byte_order::little;
    if (!told) throw bad("endian", "of the codec 'bytes' is missing");
    if (codec["configuration"]["endian"].is_null() && size_of(type) == 1) return byte_order::little;
    std::string endian = text_in(codec["configuration"], "endian");
    if (endian != "little" && endian != "big") throw bad("endian", "is '" + endian + "', not 'little' or 'big'");
    return endian == "big" ? byte_order::big : byte_order::little;
  }

  // The specification: what one does not know one must not skip, unless it says that one may.
  void check_extensions() const {
    static constexpr std::array known{"zarr_format", "node_type", "shape",      "data_type",       "chunk_grid",           "chunk_key_encoding",
                                      "fill_value",  "codecs",    "attributes", "dimension_names", "storage_transformers", "consolidated_metadata"};
    for (const auto& [name, value] : json_.items()) {
      if (std::find(known.begin(), known.end(), name) != known.end()) continue;
      if (value.is_object() && value.contains("must_understand") && value["must_understand"] == false) continue;
      throw unsupported("the extension '" + name + "'", "Re-save the array without it");
    }
  }

  const Json& json_;
  const std::string& file_;
};

}  // namespace

ZarrMeta parse_zarr_meta(std::string_view text, const std::string& file) {
  if (static_cast<std::int64_t>(text.size()) > largest_file)
    throw not_supported("'" + file + "' has " + format_bytes(static_cast<std::int64_t>(text.size())) + "; at most 16 MiB are read",
                        "Check that it is a zarr.json");
  Json json = parse_json(text, file);
  return Reader(json, file).meta();
}

ZarrMeta read_zarr_meta(const std::string& path) {
  namespace fs = std::filesystem;
  std::string file = path + "/zarr.json";
  std::error_code ignored;
  if (!fs::exists(file, ignored)) {
    if (fs::exists(path + "/.zarray", ignored))
      throw not_supported("'" + path + "' is Zarr v2", "Re-save it as Zarr v3 (zarr-python 3: `zarr migrate v3 <path>`)");
    if (fs::exists(path + "/.zgroup", ignored)) throw not_supported("'" + path + "' is a Zarr v2 group", "Re-save an array of it as Zarr v3");
    throw usage_error("'" + path + "' has no zarr.json: it is not a Zarr v3 array", "Check the path");
  }
  return parse_zarr_meta(read_file(file, largest_file), file);
}

}  // namespace octavo
