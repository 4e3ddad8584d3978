// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "data/format/zarr/meta.hpp"
#include "element.hpp"
#include "scratch.hpp"

namespace octavo {
namespace {

using Json = nlohmann::ordered_json;
using test::text_of;

// As zarr-python 3 writes it.
Json good() {
  return Json::parse(R"({
    "shape": [100, 200], "data_type": "float64",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [10, 64]}},
    "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
    "fill_value": 0.0, "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
    "attributes": {"unit": "K", "a": [1, {"b": null}]}, "dimension_names": ["y", null],
    "zarr_format": 3, "node_type": "array", "storage_transformers": []})");
}

Storage parsed(const Json& json) { return parse_zarr_meta(json.dump(), "a.zarr/zarr.json"); }

template <class T>
T fill_of(const Storage& meta) {
  T value;
  EXPECT_EQ(meta.fill.size(), sizeof value);
  std::memcpy(&value, meta.fill.data(), sizeof value);
  return value;
}

TEST(ZarrMeta, WhatZarrPythonWrites) {
  auto meta = parsed(good());
  EXPECT_EQ(meta.shape, (Shape{100, 200}));
  EXPECT_EQ(meta.chunk, (Shape{10, 64}));
  EXPECT_EQ(meta.type, dtype::float64);
  EXPECT_EQ(meta.order, byte_order::little);
  EXPECT_EQ(fill_of<double>(meta), 0);
  EXPECT_EQ(meta.attributes_json, R"({"unit":"K","a":[1,{"b":null}]})");
  EXPECT_EQ(meta.dimension_names_json, R"(["y",null])");
}

TEST(ZarrMeta, Keys) {
  EXPECT_EQ(zarr_chunk_key(false, '/', {0, 3, 12}), "c/0/3/12");
  EXPECT_EQ(zarr_chunk_key(false, '.', {0, 3}), "c.0.3");
  EXPECT_EQ(zarr_chunk_key(true, '.', {0, 3}), "0.3");
  EXPECT_EQ(zarr_chunk_key(true, '/', {5}), "5");
  EXPECT_EQ(zarr_chunk_key(false, '/', {}), "c");
  EXPECT_EQ(zarr_chunk_key(true, '.', {}), "0");
  auto json = good();
  json["chunk_key_encoding"] = {{"name", "v2"}};
  EXPECT_TRUE(parsed(json).v2_keys);
  EXPECT_EQ(parsed(json).separator, '.');
  json["chunk_key_encoding"] = {{"name", "default"}};
  EXPECT_EQ(parsed(json).separator, '/');
}

TEST(ZarrMeta, FillValues) {
  auto with = [](const char* type, Json value) {
    auto json = good();
    json["data_type"] = type;
    json["fill_value"] = std::move(value);
    return parsed(json);
  };
  EXPECT_EQ(fill_of<float>(with("float32", 1.5)), 1.5f);
  EXPECT_TRUE(std::isnan(fill_of<double>(with("float64", "NaN"))));
  EXPECT_EQ(fill_of<double>(with("float64", "-Infinity")), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(fill_of<float>(with("float32", "0x3f800000")), 1.0f);
  EXPECT_EQ(fill_of<double>(with("float64", "0x3f800000")), 1.0) << "as zarr-python reads it";
  EXPECT_EQ(fill_of<std::int8_t>(with("int8", -128)), -128);
  EXPECT_EQ(fill_of<std::uint16_t>(with("uint16", 0.0)), 0);
  EXPECT_EQ(fill_of<std::uint16_t>(with("uint16", "7")), 7);
  EXPECT_EQ(fill_of<std::uint64_t>(with("uint64", 18446744073709551615u)), 18446744073709551615u);
  EXPECT_EQ(fill_of<std::complex<float>>(with("complex64", {1, "Infinity"})), (std::complex<float>{1, std::numeric_limits<float>::infinity()}));
  for (auto [type, value] : {std::pair<const char*, Json>{"int8", 128},
                             {"int8", -129},
                             {"uint8", -1},
                             {"int32", 1.5},
                             {"float32", "x"},
                             {"float32", "0x3f80"},
                             {"complex64", 1},
                             {"complex64", {1, 2, 3}},
                             {"float64", nullptr},
                             {"float64", "0x00000000000000zz"},
                             {"int64", 9223372036854775808u}})
    EXPECT_TEXT(text_of<usage_error>([&, t = type, v = value] { with(t, v); }), std::string("fill_value ") + value.dump() + " is not a " + type);
}

TEST(ZarrMeta, AnOrderOfAxesIsKept) {
  auto json = good();
  const Json bytes = json["codecs"][0];
  const Json turned = {{"name", "transpose"}, {"configuration", {{"order", {1, 0}}}}};
  json["codecs"] = {turned, bytes, {{"name", "crc32c"}}};
  const auto meta = parsed(json);
  EXPECT_EQ(Json::parse(meta.spec)["codecs"][0]["configuration"]["shape"], Json({10, 64}));
  EXPECT_EQ(Json::parse(zarr_meta_text(meta))["codecs"], json["codecs"]);
  json["codecs"] = {{{"name", "transpose"}, {"configuration", {{"order", "F"}}}}, bytes};  // of older writers
  EXPECT_EQ(Json::parse(zarr_meta_text(parsed(json)))["codecs"], Json({turned, bytes}));
  for (const Json& same : {Json({0, 1}), Json("C")}) {
    json["codecs"][0]["configuration"]["order"] = same;
    EXPECT_FALSE(parsed(json).is_encoded()) << same;
  }
}

TEST(ZarrMeta, RoundTrip) {
  for (int type = 0; type < dtype_count; ++type)
    for (auto order : {byte_order::little, byte_order::big}) {
      Storage meta{.shape = {7, 1, 9},
                   .chunk = {3, 1, 10},
                   .type = static_cast<dtype>(type),
                   .order = size_of(static_cast<dtype>(type)) == 1 ? byte_order::little : order,
                   .v2_keys = true,
                   .attributes_json = R"({"z":1,"a":2})",
                   .dimension_names_json = R"(["x",null,"z"])"};
      meta.fill.resize(static_cast<std::size_t>(size_of(meta.type)));
      test::put_element(meta.fill.data(), meta.type, byte_order::little, {17, 3});
      auto back = parse_zarr_meta(zarr_meta_text(meta), "x");
      EXPECT_EQ(back.shape, meta.shape);
      EXPECT_EQ(back.chunk, meta.chunk);
      EXPECT_EQ(back.type, meta.type);
      EXPECT_EQ(back.order, meta.order);
      EXPECT_EQ(back.fill, meta.fill);
      EXPECT_EQ(back.v2_keys, true);
      EXPECT_EQ(back.separator, '/');
      EXPECT_EQ(back.attributes_json, meta.attributes_json);
      EXPECT_EQ(back.dimension_names_json, meta.dimension_names_json);
    }
  for (double value : {std::nan(""), -std::nan("7"), std::numeric_limits<double>::infinity(), -0.0, 0.1}) {
    Storage meta{.shape = {1}, .chunk = {1}, .fill = std::vector<std::byte>(8)};
    std::memcpy(meta.fill.data(), &value, 8);
    EXPECT_EQ(parse_zarr_meta(zarr_meta_text(meta), "x").fill, meta.fill) << value;
  }
}

// Each failure names the file, says what is wrong with the value, and mostly what to do.
struct Wrong {
  const char* pointer;
  Json value;
  error_kind kind;
  const char* text;
};

TEST(ZarrMeta, WhatIsWrongIsNamed) {
  auto usage = error_kind::usage, unsupported = error_kind::not_supported;
  Json lzma = {{"name", "numcodecs.lzma"}}, bytes = {{"name", "bytes"}, {"configuration", {{"endian", "little"}}}};
  Json transpose = {{"name", "transpose"}, {"configuration", {{"order", {1, 0}}}}};
  for (const auto& wrong : std::vector<Wrong>{
           {"/zarr_format", 2, usage, "'zarr_format' is 2, not 3"},
           {"/zarr_format", 4, usage, "'zarr_format' is 4, not 3"},
           {"/node_type", "group", usage, "is a Zarr group, not an array"},
           {"/node_type", 7, usage, "'node_type' is not a string: 7"},
           {"/shape", "100", usage, "'shape' is not a list of integers"},
           {"/shape/0", -1, usage, "'shape' has the extent -1"},
           {"/shape/0", 1.5, usage, "'shape' has the extent 1.5"},
           {"/shape/0", std::int64_t{1} << 61, usage, "more than 2^62 bytes"},
           {"/shape", Json(std::vector<int>(9, 2)), unsupported, "9 dimensions; at most 8"},
           {"/data_type", "float16", unsupported, "dtype 'float16' is not supported. Supported are int8"},
           {"/data_type", "bool", unsupported, "dtype 'bool'"},
           {"/data_type", {{"name", "numpy.datetime64"}}, unsupported, "dtype 'numpy.datetime64'"},
           {"/attributes", Json::array(), usage, "'attributes' is not an object: []"},
           {"/dimension_names", {"y"}, usage, "'dimension_names' is not a list with a name or null for each dimension"},
           {"/dimension_names/0", 1, usage, "'dimension_names'"},
           {"/data_type", 3, usage, "'data_type' is not a string"},
           {"/chunk_grid/name", "rectilinear", unsupported, "the chunk grid 'rectilinear'"},
           {"/chunk_grid/configuration/chunk_shape", {10}, usage, "'chunk_shape' has 1 dimensions and the shape 2"},
           {"/chunk_grid/configuration/chunk_shape/1", 0, usage, "a chunk needs extents of at least 1"},
           {"/chunk_grid/configuration/chunk_shape/1", std::int64_t{1} << 60, usage, "more than 2^62 bytes"},
           {"/chunk_key_encoding/name", "hash", unsupported, "the chunk key encoding 'hash'"},
           {"/chunk_key_encoding/configuration/separator", "..", usage, "'separator' is '..'"},
           {"/codecs", Json::array(), usage, "'codecs' is not a list with a codec"},
           {"/codecs", {bytes, lzma}, unsupported, "the codec 'numcodecs.lzma' is not read in C++. It reads crc32c"},
           {"/codecs/0/name", "sharding_indexed", usage, "'chunk_shape' is missing"},
           {"/codecs", {bytes, {{"name", "sharding_indexed"}}}, unsupported, "sharding"},
           {"/codecs", {bytes, bytes}, usage, "'bytes' twice"},
           {"/codecs/0/name", "turn", unsupported, "the codec 'turn'"},
           {"/codecs", {transpose, transpose, bytes}, unsupported, "the codec 'transpose'"},
           {"/codecs", {bytes, transpose}, unsupported, "the codec 'transpose'"},
           {"/codecs", {transpose}, usage, "has no codec 'bytes'"},
           {"/codecs/0/name", "transpose", usage, "the field 'order' is missing"},
           {"/codecs", {{{"name", "transpose"}, {"configuration", {{"order", {1, 1}}}}}, bytes}, usage, "which does not name each of 2 axes once"},
           {"/codecs", {{{"name", "transpose"}, {"configuration", {{"order", {0}}}}}, bytes}, usage, "which does not name each of 2 axes once"},
           {"/codecs/0/configuration/endian", "middle", usage, "'endian' is 'middle'"},
           {"/codecs/0/configuration", Json::object(), usage, "'endian' of the codec 'bytes' is missing"},
           {"/storage_transformers", {{{"name", "x"}}}, unsupported, "storage transformers"},
           {"/extra", {{"name", "x"}}, unsupported, "the extension 'extra'"},
       }) {
    auto json = good();
    json[Json::json_pointer(wrong.pointer)] = wrong.value;
    try {
      parsed(json);
      ADD_FAILURE() << wrong.pointer << " = " << wrong.value;
    } catch (const error& e) {
      std::string text = e.what();
      EXPECT_EQ(e.kind(), wrong.kind) << text;
      EXPECT_TEXT(text, "a.zarr/zarr.json");
      EXPECT_TEXT(text, wrong.text);
      EXPECT_FALSE(e.cure().empty()) << text;
    }
  }
}

TEST(ZarrMeta, MissingFieldsAreNamed) {
  for (const char* name : {"zarr_format", "node_type", "shape", "data_type", "chunk_grid", "chunk_key_encoding", "fill_value", "codecs"}) {
    auto json = good();
    json.erase(name);
    EXPECT_TEXT(text_of<usage_error>([&] { parsed(json); }), std::string("the field '") + name + "' is missing");
  }
  auto json = good();
  json.erase("attributes");
  json.erase("dimension_names");
  json["later"] = {{"must_understand", false}};
  EXPECT_EQ(parsed(json).attributes_json, "");
}

// Any field may hold anything: an error of ours, never one of the JSON library.
TEST(ZarrMeta, AnyValueAnywhere) {
  auto flat = good().flatten();
  for (const auto& [pointer, ignored] : flat.items())
    for (Json::json_pointer at(pointer); !at.empty(); at = at.parent_pointer())
      for (const Json& value : {Json(), Json(1), Json("x"), Json(true), Json(1.5), Json::array(), Json::object(), Json({{"name", 1}}), Json::array({1, "x"})}) {
        auto json = good();
        json[at] = value;
        try {
          parsed(json);
        } catch (const error&) {
        } catch (const std::exception& e) {
          ADD_FAILURE() << at.to_string() << " = " << value << ": " << e.what();
        }
      }
}

TEST(ZarrMeta, NotJson) {
  auto text = text_of<usage_error>([] { parse_zarr_meta("{\n  \"shape\": [1,,2]}", "f"); });
  EXPECT_TEXT(text, "'f' is not JSON: parse error at line 2, column 15");
  for (const char* bad : {"", "[", "{", "\"\\ud800\"", "\xff", "nul", "{\"a\":1e999999}"}) EXPECT_THROW(parse_zarr_meta(bad, "f"), error) << bad;
  EXPECT_TEXT(text_of<usage_error>([] { parse_zarr_meta("[1]", "f"); }), "is not a JSON object");
  EXPECT_TEXT(text_of<not_supported>([] { parse_zarr_meta(std::string(1 << 20, '['), "f"); }), "64 levels");
  EXPECT_TEXT(text_of<not_supported>([] { parse_zarr_meta(std::string((16 << 20) + 1, ' '), "f"); }), "at most 16 MiB");
}

// Python's json writes NaN as no JSON has it; xarray's attributes do so.
TEST(ZarrMeta, AttributesOfPython) {
  auto text = good().dump();
  auto with = [&](const std::string& attributes) {
    auto whole = text;
    std::string old = good()["attributes"].dump();
    return parse_zarr_meta(whole.replace(whole.find(old), old.size(), attributes), "f");
  };
  std::string bare = R"({"missing":NaN,"range":[-Infinity,Infinity],"text":"a NaN, \"NaN\", \\","NaN":1})";
  auto meta = with(bare);
  EXPECT_EQ(meta.attributes_json, bare);
  EXPECT_EQ(parse_zarr_meta(zarr_meta_text(meta), "f").attributes_json, bare);
  EXPECT_EQ(parse_zarr2_meta(zarr2_meta_text(meta), zarr2_attributes_text(meta), "f").attributes_json, bare);
  for (const char* bad : {R"({"a":NaN1})", R"({"a":+NaN})", R"({NaN:1})", R"({"a":--Infinity})", R"({"a":NaNNaN})"})
    EXPECT_THROW(with(bad), usage_error) << bad;
}

// What C++ has no number and no text for stays as it was written.
TEST(ZarrMeta, LongIntegersAndHalvesOfPairs) {
  auto with = [](const std::string& attributes) {
    auto whole = good().dump();
    std::string old = good()["attributes"].dump();
    return parse_zarr_meta(whole.replace(whole.find(old), old.size(), attributes), "f");
  };
  for (std::string odd : {R"({"a":18446744073709551617,"b":[-10000000000000000000000,18446744073709551615,-9223372036854775808]})",
                          R"({"\ud800":"a\udfffb\ud800"})", R"({"\u0001":"\u0001#NaN\u0001=\u0001d800"})", R"({"a":"\\u0001#1","b":"\\\\u0001"})"}) {
    auto meta = with(odd);
    EXPECT_EQ(meta.attributes_json, odd);
    EXPECT_EQ(parse_zarr_meta(zarr_meta_text(meta), "f").attributes_json, odd);
    EXPECT_EQ(parse_zarr2_meta(zarr2_meta_text(meta), zarr2_attributes_text(meta), "f").attributes_json, odd);
  }
  EXPECT_EQ(with(R"({"a":"\ud83d\ude00"})").attributes_json, "{\"a\":\"\U0001f600\"}") << "a whole pair is a character";
  for (const char* bad : {R"({"a":018446744073709551617})", R"({18446744073709551617:1})", R"({"a":"\ud80"})"}) EXPECT_THROW(with(bad), usage_error) << bad;
  EXPECT_THROW(with("{\"a\":" + std::string(5000, '9') + "}"), not_supported);
}

TEST(ZarrMeta, ManyObjectsInAListAreReadInTheirOwnTime) {
  std::string text = good().dump(), list;
  for (int i = 0; i < 300'000; ++i) list += i == 0 ? "{}" : ",{}";
  EXPECT_NO_THROW(parse_zarr_meta(text.substr(0, text.size() - 1) + ",\"later\":{\"must_understand\":false,\"a\":[" + list + "]}}", "f"));
}

TEST(ZarrMeta, MessagesAreShortAndPrintable) {
  auto json = good();
  json["codecs"] = Json::array({{{"name", std::string(1 << 20, 'x')}}});
  EXPECT_LT(text_of<not_supported>([&] { parsed(json); }).size(), 500u);
  json = good();
  for (int i = 0; i < 500; ++i) json["shape"].push_back("\u00e9");
  EXPECT_LT(text_of<error>([&] { parsed(json); }).size(), 500u);
  json = good();
  std::string umlauts = "x";  // 80 bytes end within a letter
  for (int i = 0; i < 100; ++i) umlauts += "\xc3\xa9";
  json["node_type"] = umlauts;
  std::string text = text_of<usage_error>([&] { parsed(json); });
  EXPECT_NO_THROW((void)Json(text).dump()) << "not UTF-8";
  text = text_of<usage_error>([&] { parse_zarr_meta(std::string("{\"a\": \"\xff") + std::string(1 << 20, '\xfe'), "f"); });
  EXPECT_NO_THROW((void)Json(text).dump()) << "not UTF-8";
  EXPECT_LT(text.size(), 500u);
}

// The parser looks at all fields of an object for each new one.
TEST(ZarrMeta, ManyFields) {
  auto with = [](int count, const char* name) {
    std::string text = good().dump(), fields;
    for (int i = 0; i < count; ++i) fields += "\"" + std::to_string(i) + "\":0,";
    return text.substr(0, text.size() - 1) + ",\"" + name + "\":{" + fields + "\"must_understand\":false}}";
  };
  EXPECT_NO_THROW(parse_zarr_meta(with(5000, "later"), "f"));
  EXPECT_TEXT(text_of<not_supported>([&] { parse_zarr_meta(with(100'000, "later"), "f"); }), "'f' has an object of more than");
  EXPECT_NO_THROW(parse_zarr_meta(with(100'000, "consolidated_metadata"), "f"));
}

}  // namespace
}  // namespace octavo
