// SPDX-License-Identifier: Apache-2.0
// What a copy and a transform take over from their source: fill value, what is missing, attributes.
#include "data/format/xarray/missing.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "scratch.hpp"

namespace octavo {
namespace {

template <class T>
std::vector<std::byte> element(T value) {
  auto bytes = std::as_bytes(std::span(&value, 1));
  return {bytes.begin(), bytes.end()};
}

Storage source_of(dtype type, std::vector<std::byte> fill, const std::string& attributes, bool missing = false) {
  Storage source;
  source.type = type;
  source.fill = std::move(fill);
  source.attributes_json = attributes;
  source.dimension_names_json = R"(["x"])";
  source.fill_is_missing = missing;
  return source;
}

CreateOptions carried(const Storage& source, bool copy, bool to_zarr2) {
  CreateOptions to;
  carry_over(source, copy, to_zarr2, to);
  EXPECT_EQ(to.dimension_names_json, R"(["x"])");
  return to;
}

// struct.pack("<d", x) in base64, as Python has it.
TEST(Missing, AsXarrayHasItInZarr3) {
  for (auto [text, value] : {std::pair{"AAAAAAAA+H8=", std::nan("")}, {"AAAAAAAAAAA=", 0.0}, {"AAAAAAA4j8A=", -999.0}, {"AAAAAAAA8P8=", -HUGE_VAL}}) {
    auto found = missing_element(Json(text), dtype::float64);
    ASSERT_TRUE(found) << text;
    double back = 0;
    std::memcpy(&back, found->data(), sizeof back);
    EXPECT_TRUE(back == value || (std::isnan(back) && std::isnan(value))) << text;
    std::string plain = attributes_for(std::string(R"({"_FillValue":")") + text + "\"}", dtype::float64, false);
    EXPECT_EQ(attributes_for(plain, dtype::float64, true), std::string(R"({"_FillValue":")") + text + "\"}");
  }
  EXPECT_EQ(attributes_for(R"({"_FillValue":NaN})", dtype::float32, true), R"({"_FillValue":"AAAAAAAA+H8="})");
  EXPECT_EQ(attributes_for(R"({"_FillValue":"AAAAAAAA+H8="})", dtype::float32, false), R"({"_FillValue":NaN})");
  EXPECT_EQ(attributes_for(R"({"_FillValue":-9.0,"a":1})", dtype::int16, true), R"({"_FillValue":-9,"a":1})");
  EXPECT_EQ(attributes_for(R"({"_FillValue":[1,-2.5]})", dtype::complex64, true), R"({"_FillValue":["AAAAAAAA8D8=","AAAAAAAABMA="]})");
}

TEST(Missing, WhatIsNoElementStays) {
  for (const char* text : {R"({"_FillValue":70000})", R"({"_FillValue":1.5})", R"({"_FillValue":"AAAA"})", R"({"_FillValue":"AAAAAAA!AAA="})",
                           R"({"_FillValue":null})", R"({"_FillValue":[1,2]})", R"({"a":"_FillValue"})", ""})
    for (bool zarr3 : {true, false}) EXPECT_EQ(attributes_for(text, dtype::int16, zarr3), text);
}

TEST(Missing, CopyOfZarr2WithAFillValue) {
  auto source = source_of(dtype::int16, element<std::int16_t>(7), R"({"a":1})", true);
  auto there = carried(source, true, true);
  EXPECT_EQ(there.fill, source.fill);
  EXPECT_EQ(there.attributes_json, R"({"a":1})");
  there = carried(source, true, false);
  EXPECT_EQ(there.fill, source.fill);
  EXPECT_EQ(there.attributes_json, R"({"a":1,"_FillValue":7})");
}

TEST(Missing, CopyToZarr2) {
  auto zero = element(0.0f);
  EXPECT_TRUE(carried(source_of(dtype::float32, zero, ""), true, true).fill.empty()) << "each 0 would be missing";
  EXPECT_EQ(carried(source_of(dtype::float32, zero, ""), true, false).fill, zero);
  EXPECT_EQ(carried(source_of(dtype::float32, element(2.5f), ""), true, true).fill, element(2.5f));
  auto marked = carried(source_of(dtype::float32, zero, R"({"_FillValue":-1.5,"b":[NaN]})"), true, true);
  EXPECT_EQ(marked.fill, element(-1.5f));
  EXPECT_EQ(marked.attributes_json, R"({"b":[NaN]})");
  EXPECT_EQ(carried(source_of(dtype::float32, zero, R"({"_FillValue":0})"), true, true).fill, zero);
}

TEST(Missing, TransformHasNothingOfTheElements) {
  auto there =
      carried(source_of(dtype::int16, element<std::int16_t>(7), R"({"scale_factor":0.5,"add_offset":1,"_FillValue":7,"units":"K","long_name":"t"})", true),
              false, true);
  EXPECT_TRUE(there.fill.empty());
  EXPECT_EQ(there.attributes_json, R"({"long_name":"t"})");
  EXPECT_EQ(carried(source_of(dtype::int16, {}, R"({"units":"K"})"), false, false).attributes_json, "");
}

}  // namespace
}  // namespace octavo
