// SPDX-License-Identifier: Apache-2.0
#include "data/format/zarr/codecs.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "data/encoded/encoding.hpp"
#include "data/format/zarr/meta.hpp"
#include "data/permute.hpp"
#include "data/text/text_file.hpp"

namespace octavo {

namespace {

constexpr const char* transpose = "transpose";
constexpr std::string_view of_numcodecs = "numcodecs.";
constexpr std::array<std::string_view, 2> unnamed_in_v3{"zlib", "lz4"};               // which numcodecs gives names of its own there
constexpr std::array<const char*, 3> shuffles{"noshuffle", "shuffle", "bitshuffle"};  // in the order of v2's numbers

std::string name_of_codec(const JsonFields& fields, const Json& codec) { return codec.is_string() ? codec.get<std::string>() : fields.text_in(codec, "name"); }

void check_list(const JsonFields& fields, const Json& codecs) {
  if (!codecs.is_array() || codecs.empty()) throw fields.bad("codecs", "is not a list with a codec");
}

byte_order order_of(const JsonFields& fields, const Json& codec, dtype type) {
  bool told = codec.is_object() && codec.contains("configuration") && codec["configuration"].contains("endian");
  if (!told && size_of(type) == 1) return byte_order::little;
  if (!told) throw fields.bad("endian", "of the codec 'bytes' is missing");
  if (codec["configuration"]["endian"].is_null() && size_of(type) == 1) return byte_order::little;
  std::string endian = fields.text_in(codec["configuration"], "endian");
  if (endian != "little" && endian != "big") throw fields.bad("endian", "is '" + cut(endian) + "', not 'little' or 'big'");
  return endian == "big" ? byte_order::big : byte_order::little;
}

// As data/codec has it: what it moves is said with it. None where the axes stay where they are.
std::optional<Json> transpose_codec(const Shape& order, const Storage& meta) {
  if (is_identity(order)) return std::nullopt;
  return Json{{"name", transpose}, {"configuration", {{"order", list_of(order)}, {"shape", list_of(meta.chunk)}, {"elementsize", size_of(meta.type)}}}};
}

Shape axes_backwards(int dims) {
  Shape order;
  for (int axis = dims; axis-- > 0;) order.push_back(axis);
  return order;
}

// Older writers say "F" for the axes backwards, and "C" for none.
Shape axes_of(const JsonFields& fields, const Json& codec, int dims) {
  const Json& about = fields.field(codec, "configuration");
  const Json& order = fields.field(about, "order");
  if (order == "F") return axes_backwards(dims);
  if (order == "C") return {};
  Shape axes = fields.shape_in(about, "order");
  if (axes.size() != dims || !std::ranges::is_permutation(axes, axes_backwards(dims)))
    throw fields.bad("order", "of the codec 'transpose' is " + shown(order) + ", which does not name each of " + std::to_string(dims) + " axes once");
  return axes;
}

// Those beside 'bytes', which Octavo has.
Json read_chain(const JsonFields& fields, const Json& codecs, Storage& meta) {
  check_list(fields, codecs);
  Json chain = Json::array();
  bool transposed = false, has_bytes = false;
  for (const auto& codec : codecs) {
    const std::string name = name_of_codec(fields, codec);
    if (name == "sharding_indexed")
      throw fields.unsupported("sharding (the codec 'sharding_indexed') beside or within another codec is not read in C++", resave_uncompressed);
    if (name == transpose && &codec == &codecs[0]) {
      if (auto turned = transpose_codec(axes_of(fields, codec, meta.chunk.size()), meta)) chain.push_back(*turned);
      transposed = true;
    } else if (name == "bytes") {
      if (&codec != &codecs[transposed ? 1 : 0]) throw fields.bad("codecs", "has the codec 'bytes' twice, or behind another");
      meta.order = order_of(fields, codec, meta.type);
      has_bytes = true;
    } else if (!has_bytes || name == transpose) {
      throw fields.unsupported("the codec '" + cut(name) + "' is not read in C++", resave_uncompressed);
    } else {
      chain.push_back(codec);
    }
  }
  if (!has_bytes) throw fields.bad("codecs", "has no codec 'bytes'");
  return chain;
}

void finish(const JsonFields& fields, const Encoding& encoding, Storage& meta) {
  meta.spec = encoding.text();
  if (meta.spec.empty()) return;
  in_context([&] { return "'" + fields.file() + "'"; }, [&] { meta.unit_bytes = bytes_to_read(meta); });
}

void read_index_codecs(const JsonFields& fields, const Json& codecs, Encoding& encoding) {
  check_list(fields, codecs);
  Storage index{.type = dtype::uint64};
  const Json chain = read_chain(fields, codecs, index);
  const bool one_sum = chain.size() == 1 && name_of_codec(fields, chain[0]) == "crc32c";
  if (index.order == byte_order::big || (!chain.empty() && !one_sum))
    throw fields.unsupported("such an index of shards is not read in C++: " + shown(codecs), resave_uncompressed);
  encoding.checked = one_sum;
}

void read_shards(const JsonFields& fields, const Json& codec, Storage& meta) {
  const Json& about = fields.field(codec, "configuration");
  Encoding encoding;
  encoding.sharded = true;
  meta.write_chunk = meta.chunk;
  meta.chunk = fields.shape_in(about, "chunk_shape");
  if (meta.chunk.size() != meta.shape.size()) throw fields.bad("chunk_shape", "of the shards has not as many dimensions as the shape");
  for (int axis = 0; axis < meta.chunk.size(); ++axis)
    if (meta.chunk[axis] < 1 || meta.write_chunk[axis] % meta.chunk[axis] != 0)
      throw fields.bad("chunk_shape", "is " + meta.chunk.text() + ", of which shards of " + meta.write_chunk.text() + " cannot consist");
  encoding.codecs = read_chain(fields, fields.field(about, "codecs"), meta);
  read_index_codecs(fields, fields.field(about, "index_codecs"), encoding);
  const std::string location = about.contains("index_location") ? fields.text_in(about, "index_location") : "end";
  if (location != "end" && location != "start") throw fields.bad("index_location", "is '" + cut(location) + "', not 'end' or 'start'");
  encoding.at_start = location == "start";
  finish(fields, encoding, meta);
}

bool is_transposed(const Encoding& encoding) { return !encoding.codecs.empty() && encoding.codecs[0]["name"] == transpose; }

// By the names and fields that v3 has for it.
Json compressor(const JsonFields& fields, const Json& given, const Storage& meta) {
  if (!given.is_object()) throw fields.bad("compressor", "is not an object: " + shown(given));
  const std::string id = fields.text_in(given, "id");
  Json about = given;
  about.erase("id");
  if (id == "blosc") {
    auto shuffle = about.find("shuffle");
    std::int64_t number = shuffle == about.end() ? 1 : shuffle->is_number_integer() ? shuffle->get<std::int64_t>() : -2;
    if (number == -1) number = size_of(meta.type) == 1 ? 2 : 1;  // numcodecs' AUTOSHUFFLE
    if (number < 0 || number > 2) throw fields.bad("shuffle", "of the compressor 'blosc' is none of -1, 0, 1 and 2: " + shown(given));
    about["shuffle"] = shuffles[static_cast<std::size_t>(number)];
    about["typesize"] = size_of(meta.type);
  }
  const bool prefixed = std::ranges::find(unnamed_in_v3, id) != unnamed_in_v3.end();
  return {{"name", (prefixed ? std::string(of_numcodecs) : "") + id}, {"configuration", about}};
}

Json bytes_codec(dtype type, byte_order order) {
  Json codec = {{"name", "bytes"}};
  if (size_of(type) > 1) codec["configuration"] = {{"endian", order == byte_order::big ? "big" : "little"}};
  return codec;
}

}  // namespace

void read_codecs(const JsonFields& fields, const Json& codecs, Storage& meta) {
  check_list(fields, codecs);
  if (codecs.size() == 1 && name_of_codec(fields, codecs[0]) == "sharding_indexed") return read_shards(fields, codecs[0], meta);
  Encoding encoding;
  encoding.codecs = read_chain(fields, codecs, meta);
  finish(fields, encoding, meta);
}

Json codecs_of(const Storage& meta) {
  const Encoding encoding = Encoding::of(meta);
  Json codecs = Json::array();
  if (is_transposed(encoding)) codecs.push_back({{"name", transpose}, {"configuration", {{"order", encoding.codecs[0]["configuration"]["order"]}}}});
  codecs.push_back(bytes_codec(meta.type, meta.order));
  for (const auto& each : encoding.codecs)
    if (each["name"] != transpose) codecs.push_back(each);
  if (!encoding.sharded) return codecs;
  Json index = Json::array({bytes_codec(dtype::uint64, byte_order::little)});
  if (encoding.checked) index.push_back({{"name", "crc32c"}});
  return Json::array(
      {{{"name", "sharding_indexed"},
        {"configuration",
         {{"chunk_shape", list_of(meta.chunk)}, {"codecs", codecs}, {"index_codecs", index}, {"index_location", encoding.at_start ? "start" : "end"}}}}});
}

void read_v2_codecs(const JsonFields& fields, Storage& meta) {
  Encoding encoding;
  const std::string order = fields.text_in(fields.json(), "order");
  if (order != "C" && order != "F") throw fields.bad("order", "is '" + cut(order) + "', not 'C' or 'F'");
  if (order == "F")
    if (auto turned = transpose_codec(axes_backwards(meta.chunk.size()), meta)) encoding.codecs.push_back(*turned);
  if (auto found = fields.json().find("compressor"); found != fields.json().end() && !found->is_null())
    encoding.codecs.push_back(compressor(fields, *found, meta));
  finish(fields, encoding, meta);
}

Json v2_compressor_of(const Storage& meta) {
  const Encoding encoding = Encoding::of(meta);
  const std::size_t first = is_transposed(encoding) ? 1 : 0;
  if (encoding.codecs.size() <= first) return nullptr;
  const Json& codec = encoding.codecs[first];
  const std::string name = codec.at("name");
  Json result = {{"id", name.starts_with(of_numcodecs) ? name.substr(of_numcodecs.size()) : name}};
  for (const auto& [field, value] : codec.at("configuration").items()) {
    if (field == "typesize") continue;
    if (field != "shuffle") result[field] = value;
    for (std::size_t number = 0; field == "shuffle" && number < shuffles.size(); ++number)
      if (value == shuffles[number]) result[field] = number;
  }
  return result;
}

const char* v2_order_of(const Storage& meta) { return is_transposed(Encoding::of(meta)) ? "F" : "C"; }

}  // namespace octavo
