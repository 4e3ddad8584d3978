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
  return Json::parse(R"({"shape": [100, 200], "chunks": [10, 64], "dtype": "<f8", "fill_value": 0.0, "order": "C", "filters": null,
    "dimension_separator": ".", "compressor": null, "zarr_format": 2})");
}

Storage parsed(const Json& json, const std::string& attributes = "") { return parse_zarr2_meta(json.dump(), attributes, "a.zarr"); }

template <class T>
T fill_of(const Storage& meta) {
  T value;
  EXPECT_EQ(meta.fill.size(), sizeof value);
  std::memcpy(&value, meta.fill.data(), sizeof value);
  return value;
}

TEST(Zarr2, WhatZarrPythonWrites) {
  auto meta = parsed(good(), R"({"unit": "K", "missing": NaN, "_ARRAY_DIMENSIONS": ["y", "x"], "a": [1]})");
  EXPECT_EQ(meta.zarr_version, 2);
  EXPECT_EQ(meta.shape, (Shape{100, 200}));
  EXPECT_EQ(meta.chunk, (Shape{10, 64}));
  EXPECT_EQ(meta.type, dtype::float64);
  EXPECT_EQ(meta.order, byte_order::little);
  EXPECT_EQ(fill_of<double>(meta), 0);
  EXPECT_TRUE(meta.v2_keys);
  EXPECT_EQ(meta.separator, '.');
  EXPECT_EQ(meta.attributes_json, R"({"unit":"K","missing":NaN,"a":[1]})");
  EXPECT_EQ(meta.dimension_names_json, R"(["y","x"])");
  EXPECT_EQ(parsed(good()).attributes_json, "");
}

TEST(Zarr2, FieldsThatMayBeLeftOut) {
  auto json = good();
  json.erase("dimension_separator");
  json.erase("filters");
  EXPECT_EQ(parsed(json).separator, '.');
  json["filters"] = Json::array();
  json["dimension_separator"] = "/";
  json["later"] = 1;
  EXPECT_EQ(parsed(json).separator, '/');
}

TEST(Zarr2, Types) {
  auto with = [](const std::string& code) {
    auto json = good();
    json["dtype"] = code;
    json["fill_value"] = nullptr;
    return parsed(json);
  };
  for (auto [code, type] : {std::pair{"i2", dtype::int16},
                            {"i4", dtype::int32},
                            {"i8", dtype::int64},
                            {"u2", dtype::uint16},
                            {"u4", dtype::uint32},
                            {"u8", dtype::uint64},
                            {"f4", dtype::float32},
                            {"f8", dtype::float64},
                            {"c8", dtype::complex64},
                            {"c16", dtype::complex128}}) {
    EXPECT_EQ(with(std::string("<") + code).type, type);
    EXPECT_EQ(with(std::string("<") + code).order, byte_order::little);
    EXPECT_EQ(with(std::string(">") + code).type, type);
    EXPECT_EQ(with(std::string(">") + code).order, byte_order::big);
    EXPECT_TEXT(text_of<usage_error>([&, c = code] { with(std::string("|") + c); }), "without a byte order");
  }
  for (const char* mark : {"<", ">", "|"}) {
    EXPECT_EQ(with(mark + std::string("i1")).type, dtype::int8);
    EXPECT_EQ(with(mark + std::string("u1")).type, dtype::uint8);
    EXPECT_EQ(with(mark + std::string("u1")).order, byte_order::little);
  }
  for (const char* code : {"|b1", "|S4", "<U4", "<M8[ns]", "<m8[s]", "|V8", "|O", "<f2", "<f16", "<c32", "<", "bfloat16", "float16", ""})
    EXPECT_TEXT(text_of<not_supported>([&] { with(code); }), std::string("a.zarr/.zarray': dtype '") + code + "' is not supported. Convert it");
  for (const char* code : {"float64", "f8", "i1"})
    EXPECT_TEXT(text_of<usage_error>([&] { with(code); }), std::string("'dtype' is '") + code + "', without a byte order");
}

TEST(Zarr2, FillValues) {
  auto with = [](const char* type, Json value) {
    auto json = good();
    json["dtype"] = type;
    json["fill_value"] = std::move(value);
    return parsed(json);
  };
  EXPECT_EQ(fill_of<float>(with("<f4", 1.5)), 1.5f);
  EXPECT_EQ(fill_of<double>(with(">f8", 7)), 7);
  EXPECT_EQ(fill_of<double>(with("<f8", nullptr)), 0);
  EXPECT_EQ(fill_of<std::complex<double>>(with("<c16", nullptr)), std::complex<double>());
  EXPECT_TRUE(std::isnan(fill_of<double>(with("<f8", "NaN"))));
  EXPECT_EQ(fill_of<double>(with("<f8", "-Infinity")), -std::numeric_limits<double>::infinity());
  EXPECT_EQ(fill_of<std::int8_t>(with("|i1", -128)), -128);
  EXPECT_EQ(fill_of<std::int32_t>(with("<i4", -3.0)), -3);
  EXPECT_EQ(fill_of<std::uint64_t>(with("<u8", 18446744073709551615u)), 18446744073709551615u);
  EXPECT_EQ(fill_of<std::uint64_t>(with("<u8", "18446744073709551615")), 18446744073709551615u);
  EXPECT_EQ(fill_of<std::uint16_t>(with("<u2", "0")), 0);  // n5-zarr
  EXPECT_EQ(fill_of<std::int16_t>(with("<i2", "-7")), -7);
  EXPECT_EQ(fill_of<std::int8_t>(with("|i1", true)), 1);
  EXPECT_EQ(fill_of<float>(with("<f4", "1e3")), 1000);
  EXPECT_EQ(fill_of<double>(with("<f8", "+0.5")), 0.5);
  EXPECT_EQ(fill_of<double>(with("<f8", false)), 0);
  EXPECT_TRUE(std::isnan(fill_of<double>(with("<f8", "nan"))));
  EXPECT_EQ(fill_of<std::complex<float>>(with("<c8", {"-Infinity", 2.5})), (std::complex<float>{-std::numeric_limits<float>::infinity(), 2.5f}));
  auto bare = parse_zarr2_meta(R"({"shape":[4],"chunks":[2],"dtype":"<f8","fill_value":NaN,"order":"C","compressor":null,"zarr_format":2})", "", "a");
  EXPECT_TRUE(std::isnan(fill_of<double>(bare)));
  for (auto [type, value] : {std::pair<const char*, Json>{"|i1", 128},
                             {"|u1", -1},
                             {"<i4", 1.5},
                             {"<i8", 1e300},
                             {"<f4", "x"},
                             {"<c8", 1},
                             {"<f8", "1e"},
                             {"|u1", "0.0"},
                             {"|u1", "-1"},
                             {"|u1", "256"},
                             {"<i4", ""}})
    EXPECT_TEXT(text_of<usage_error>([&, t = type, v = value] { with(t, v); }), "a.zarr/.zarray': the fill_value " + value.dump() + " is not a ");
}

TEST(Zarr2, OrderFIsAnOrderOfAxes) {
  auto json = good();
  json["order"] = "F";
  const auto meta = parsed(json);
  EXPECT_TRUE(meta.is_encoded());
  EXPECT_EQ(Json::parse(meta.spec)["codecs"][0]["configuration"]["order"], Json({1, 0}));
  EXPECT_EQ(Json::parse(zarr2_meta_text(meta))["order"], "F");
  EXPECT_EQ(Json::parse(zarr2_meta_text(meta))["compressor"], nullptr);
  json["shape"] = json["chunks"] = Json::array({10});
  EXPECT_FALSE(parsed(json).is_encoded()) << "one axis has one order";
}

TEST(Zarr2, RoundTrip) {
  for (int type = 0; type < dtype_count; ++type)
    for (auto order : {byte_order::little, byte_order::big}) {
      Storage meta{.shape = {7, 1, 9},
                   .chunk = {3, 1, 10},
                   .type = static_cast<dtype>(type),
                   .order = size_of(static_cast<dtype>(type)) == 1 ? byte_order::little : order,
                   .v2_keys = true,
                   .attributes_json = R"({"z":1,"a":2})",
                   .dimension_names_json = R"(["x",null,"z"])",
                   .zarr_version = 2,
                   .fill_is_missing = true};
      meta.fill.resize(static_cast<std::size_t>(size_of(meta.type)));
      test::put_element(meta.fill.data(), meta.type, byte_order::little, {17, 3});
      auto back = parse_zarr2_meta(zarr2_meta_text(meta), zarr2_attributes_text(meta), "x");
      EXPECT_EQ(back.shape, meta.shape);
      EXPECT_EQ(back.chunk, meta.chunk);
      EXPECT_EQ(back.type, meta.type);
      EXPECT_EQ(back.order, meta.order);
      EXPECT_EQ(back.fill, meta.fill);
      EXPECT_EQ(back.separator, '/');
      EXPECT_EQ(back.attributes_json, meta.attributes_json);
      EXPECT_EQ(back.dimension_names_json, meta.dimension_names_json);
    }
  Storage meta{.shape = {1}, .chunk = {1}, .fill = std::vector<std::byte>(8), .v2_keys = true, .separator = '.', .zarr_version = 2, .fill_is_missing = true};
  double odd = -std::nan("7");  // v2 knows one NaN
  std::memcpy(meta.fill.data(), &odd, 8);
  EXPECT_EQ(Json::parse(zarr2_meta_text(meta))["fill_value"], "NaN");
  EXPECT_EQ(zarr2_attributes_text(meta), "");
  meta.fill_is_missing = false;
  EXPECT_EQ(Json::parse(zarr2_meta_text(meta))["fill_value"], nullptr);
  EXPECT_FALSE(parse_zarr2_meta(zarr2_meta_text(meta), "", "x").fill_is_missing);
  EXPECT_EQ(parse_zarr2_meta(zarr2_meta_text(meta), "{}", "x").attributes_json, "") << "as without a .zattrs";
}

TEST(Zarr2, DimensionNames) {
  for (const char* odd :
       {R"({"_ARRAY_DIMENSIONS":["y"]})", R"({"_ARRAY_DIMENSIONS":"yx"})", R"({"_ARRAY_DIMENSIONS":[1,2]})", R"({"_ARRAY_DIMENSIONS":null})"}) {
    EXPECT_EQ(parsed(good(), odd).attributes_json, odd);  // an attribute like any other
    EXPECT_EQ(parsed(good(), odd).dimension_names_json, "");
  }
  std::string both = R"({"a":1,"_ARRAY_DIMENSIONS":["y","x"]})";
  auto meta = parsed(good(), both);
  auto as_v3 = parse_zarr_meta(zarr_meta_text(meta), "f");
  EXPECT_EQ(as_v3.attributes_json, R"({"a":1})");
  EXPECT_EQ(as_v3.dimension_names_json, R"(["y","x"])");
  EXPECT_EQ(Json::parse(zarr2_attributes_text(as_v3)).dump(), both);
}

TEST(Zarr2, WhatIsWrongIsNamed) {
  auto usage = error_kind::usage, unsupported = error_kind::not_supported;
  struct Wrong {
    const char* pointer;
    Json value;
    error_kind kind;
    const char* text;
  };
  const char* through = "The octavo command and the Python package read it through zarr-python; or re-save it uncompressed";
  for (const auto& wrong : std::vector<Wrong>{
           {"/zarr_format", 3, usage, "'zarr_format' is 3, not 2"},
           {"/shape", "100", usage, "'shape' is not a list of integers"},
           {"/shape/0", -1, usage, "'shape' has the extent -1"},
           {"/shape", Json(std::vector<int>(9, 2)), unsupported, "9 dimensions; at most 8"},
           {"/chunks", {10}, usage, "'chunks' has 1 dimensions and the shape 2"},
           {"/chunks", true, usage, "'chunks' is not a list of integers"},
           {"/chunks/1", 0, usage, "a chunk needs extents of at least 1"},
           {"/chunks/1", std::int64_t{1} << 60, usage, "more than 2^62 bytes"},
           {"/dtype", 3, usage, "'dtype' is not a string: 3"},
           {"/dtype", Json::parse(R"([["a","<f4"]])"), unsupported, R"(the dtype is structured: [["a","<f4"]])"},
           {"/compressor", {{"id", "lzma"}}, unsupported, "the codec 'lzma' is not read in C++"},
           {"/compressor", {{"id", "blosc"}, {"shuffle", 7}}, usage, "'shuffle' of the compressor 'blosc'"},
           {"/compressor", {{"id", "bz2"}, {"level", 1}}, unsupported, "read others through zarr-python"},
           {"/compressor", {{"level", 0}}, usage, "'id' is missing"},
           {"/compressor", "zstd", usage, "'compressor' is not an object: \"zstd\""},
           {"/filters", Json::parse(R"([{"id":"delta"}])"), unsupported, "the codec 'delta' (a filter)"},
           {"/filters", Json::parse(R"([{"id":"quantize"}])"), unsupported, through},
           {"/filters", {1}, usage, "'filters' is not an object: 1"},
           {"/filters", "x", usage, "'filters' is neither null nor a list"},
           {"/order", "A", usage, "'order' is 'A', not 'C' or 'F'"},
           {"/dimension_separator", "-", usage, "'dimension_separator' is '-'"},
           {"/dimension_separator", nullptr, usage, "'dimension_separator' is not a string: null"},
       }) {
    auto json = good();
    json[Json::json_pointer(wrong.pointer)] = wrong.value;
    try {
      parsed(json);
      ADD_FAILURE() << wrong.pointer << " = " << wrong.value;
    } catch (const error& e) {
      std::string text = e.what();
      EXPECT_EQ(e.kind(), wrong.kind) << text;
      EXPECT_TEXT(text, "a.zarr/.zarray");
      EXPECT_TEXT(text, wrong.text);
      EXPECT_FALSE(e.cure().empty()) << text;
    }
  }
  for (const char* name : {"zarr_format", "shape", "chunks", "dtype", "fill_value", "order"}) {
    auto json = good();
    json.erase(name);
    EXPECT_TEXT(text_of<usage_error>([&] { parsed(json); }), std::string("the field '") + name + "' is missing");
  }
  EXPECT_TEXT(text_of<usage_error>([] { parsed(good(), "{"); }), "'a.zarr/.zattrs' is not JSON");
  EXPECT_TEXT(text_of<usage_error>([] { parsed(good(), "[1]"); }), "'a.zarr/.zattrs' is not a JSON object");
  EXPECT_TEXT(text_of<usage_error>([] { parse_zarr2_meta("[1]", "", "a.zarr"); }), "'a.zarr/.zarray' is not a JSON object");
  EXPECT_TEXT(text_of<not_supported>([] { parsed(good(), std::string(1 << 20, '[')); }), "'a.zarr/.zattrs' is nested more than");
}

// Any field may hold anything: an error of ours, never one of the JSON library.
TEST(Zarr2, AnyValueAnywhere) {
  auto base = good();
  base["compressor"] = {{"id", "zstd"}};
  auto flat = base.flatten();
  for (const auto& [pointer, ignored] : flat.items())
    for (Json::json_pointer at(pointer); !at.empty(); at = at.parent_pointer())
      for (const Json& value :
           {Json(), Json(1), Json("x"), Json(""), Json(true), Json(1.5), Json::array(), Json::object(), Json({{"id", 1}}), Json::array({1, "x"})}) {
        auto json = base;
        if (!pointer.starts_with("/compressor")) json["compressor"] = nullptr;
        json[at] = value;
        try {
          parsed(json, Json({{"_ARRAY_DIMENSIONS", value}}).dump());
        } catch (const error&) {
        } catch (const std::exception& e) {
          ADD_FAILURE() << at.to_string() << " = " << value << ": " << e.what();
        }
      }
}

}  // namespace
}  // namespace octavo
