// SPDX-License-Identifier: Apache-2.0
#include "data/format/zarr/codecs.hpp"

#include <array>

#include "data/encoded/encoding.hpp"
#include "data/format/zarr/meta.hpp"
#include "data/text/text_file.hpp"

namespace octavo {

namespace {

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

// Those behind 'bytes', which Octavo has.
Json read_chain(const JsonFields& fields, const Json& codecs, Storage& meta) {
  check_list(fields, codecs);
  Json chain = Json::array();
  for (const auto& codec : codecs) {
    const std::string name = name_of_codec(fields, codec);
    if (name == "sharding_indexed")
      throw fields.unsupported("sharding (the codec 'sharding_indexed') beside or within another codec is not read in C++", resave_uncompressed);
    if (name == "bytes" && &codec != &codecs[0]) throw fields.bad("codecs", "has the codec 'bytes' twice, or behind another");
    if (name == "bytes") meta.order = order_of(fields, codec, meta.type);
    else if (&codec == &codecs[0]) throw fields.unsupported("the codec '" + cut(name) + "' is not read in C++", resave_uncompressed);
    else chain.push_back(codec);
  }
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
  Json codecs = Json::array({bytes_codec(meta.type, meta.order)});
  for (const auto& each : encoding.codecs) codecs.push_back(each);
  if (!encoding.sharded) return codecs;
  Json index = Json::array({bytes_codec(dtype::uint64, byte_order::little)});
  if (encoding.checked) index.push_back({{"name", "crc32c"}});
  return Json::array(
      {{{"name", "sharding_indexed"},
        {"configuration",
         {{"chunk_shape", list_of(meta.chunk)}, {"codecs", codecs}, {"index_codecs", index}, {"index_location", encoding.at_start ? "start" : "end"}}}}});
}

// By the names and fields that v3 has for it.
void read_v2_compressor(const JsonFields& fields, const Json& compressor, Storage& meta) {
  if (!compressor.is_object()) throw fields.bad("compressor", "is not an object: " + shown(compressor));
  const std::string id = fields.text_in(compressor, "id");
  Json about = compressor;
  about.erase("id");
  if (id == "blosc") {
    auto shuffle = about.find("shuffle");
    std::int64_t number = shuffle == about.end() ? 1 : shuffle->is_number_integer() ? shuffle->get<std::int64_t>() : -2;
    if (number == -1) number = size_of(meta.type) == 1 ? 2 : 1;  // numcodecs' AUTOSHUFFLE
    if (number < 0 || number > 2) throw fields.bad("shuffle", "of the compressor 'blosc' is none of -1, 0, 1 and 2: " + shown(compressor));
    about["shuffle"] = shuffles[static_cast<std::size_t>(number)];
    about["typesize"] = size_of(meta.type);
  }
  Encoding encoding;
  encoding.codecs = Json::array({{{"name", id == "zlib" ? "numcodecs.zlib" : id}, {"configuration", about}}});
  finish(fields, encoding, meta);
}

Json v2_compressor_of(const Storage& meta) {
  const Encoding encoding = Encoding::of(meta);
  if (encoding.codecs.empty()) return nullptr;
  const Json& codec = encoding.codecs[0];
  const std::string name = codec.at("name");
  Json result = {{"id", name == "numcodecs.zlib" ? "zlib" : name}};
  for (const auto& [field, value] : codec.at("configuration").items()) {
    if (field == "typesize") continue;
    if (field != "shuffle") result[field] = value;
    for (std::size_t number = 0; field == "shuffle" && number < shuffles.size(); ++number)
      if (value == shuffles[number]) result[field] = number;
  }
  return result;
}

}  // namespace octavo
