// SPDX-License-Identifier: Apache-2.0
#include "data/format/xarray/missing.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "data/format/zarr/fill.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t text_of_double = 12;  // characters for 8 bytes: 11 digits and a '='

// What belongs to the source's elements and is wrong for their transform: how they are packed, which are missing or valid, what they measure.
constexpr std::array of_elements{"_FillValue",  "missing_value", "scale_factor", "add_offset", "_Unsigned",     "dtype", "valid_min", "valid_max",
                                 "valid_range", "actual_range",  "flag_values",  "flag_masks", "flag_meanings", "units", "calendar"};

std::string base64_of(double value) {
  auto bits = std::bit_cast<std::uint64_t>(value);  // little-endian: the lowest byte comes first
  std::array<unsigned, 9> bytes{};
  for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<unsigned>(bits >> (8 * i)) & 0xffu;
  std::string text;
  for (std::size_t i = 0; i < 9; i += 3) {
    unsigned three = bytes[i] << 16 | bytes[i + 1] << 8 | bytes[i + 2];
    for (int shift = 18; shift >= 0; shift -= 6) text += digits[three >> shift & 0x3fu];
  }
  text.back() = '=';
  return text;
}

std::optional<double> double_of(const std::string& text) {
  if (text.size() != text_of_double || text.back() != '=') return std::nullopt;
  std::array<std::uint64_t, 9> bytes{};
  for (std::size_t i = 0; i < text_of_double; i += 4) {
    std::uint64_t three = 0;
    for (std::size_t j = i; j < i + 4; ++j) {
      auto at = j + 1 == text_of_double ? 0 : digits.find(text[j]);
      if (at == std::string_view::npos) return std::nullopt;
      three = three << 6 | at;
    }
    for (std::size_t j = 0; j < 3; ++j) bytes[i / 4 * 3 + j] = three >> (16 - 8 * j) & 0xffu;
  }
  std::uint64_t bits = 0;
  for (unsigned i = 0; i < 8; ++i) bits |= bytes[i] << (8 * i);
  return std::bit_cast<double>(bits);
}

// NaN as Python writes it into JSON.
Json number(double value) {
  if (std::isfinite(value)) return value;
  return bare_number(std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity");
}

Json without_base64(const Json& value) {
  if (value.is_array()) {
    Json list = Json::array();
    for (const auto& each : value) list.push_back(without_base64(each));
    return list;
  }
  if (!value.is_string()) return value;
  auto found = double_of(value.get<std::string>());
  return found ? number(*found) : value;
}

Json missing_json(const std::vector<std::byte>& element, dtype type, bool zarr3) {
  auto as_float = [zarr3](double value) { return zarr3 ? Json(base64_of(value)) : number(value); };
  return with_type(type, [&](auto value) -> Json {
    std::memcpy(&value, element.data(), sizeof value);
    if constexpr (std::is_integral_v<decltype(value)>) return value;
    else if constexpr (std::is_floating_point_v<decltype(value)>) return as_float(value);
    else return Json::array({as_float(value.real()), as_float(value.imag())});
  });
}

Json parsed(const std::string& attributes_json) {
  return attributes_json.empty() ? Json::object() : parse_json(attributes_json, "attributes of the new array", deepest_json - 1);
}

std::string text_of(const Json& attributes) { return attributes.empty() ? "" : json_text(attributes); }

}  // namespace

std::optional<std::vector<std::byte>> missing_element(const Json& value, dtype type) {
  Json plain = without_base64(value);
  if (plain.is_array() && plain.size() == 1 && !is_complex(type)) plain = Json(plain[0]);  // as netCDF has it
  plain = whole_number(plain, type);
  if (plain.is_number_integer() && plain >= 0) plain = plain.get<std::uint64_t>();
  if (is_complex(type) && plain.is_number()) plain = Json::array({plain, 0});
  try {
    return parse_fill(plain, type, missing_name);
  } catch (const usage_error&) {
    return std::nullopt;
  }
}

std::string attributes_for(const std::string& attributes_json, dtype type, bool zarr3) {
  if (attributes_json.find(missing_name) == std::string::npos) return attributes_json;
  Json attributes = parsed(attributes_json);
  auto found = attributes.is_object() ? attributes.find(missing_name) : attributes.end();
  if (found == attributes.end()) return attributes_json;
  auto element = missing_element(*found, type);
  if (!element) return attributes_json;
  *found = missing_json(*element, type, zarr3);
  return json_text(attributes);
}

void carry_over(const Storage& source, bool copy, bool to_zarr2, CreateOptions& to) {
  to.dimension_names_json = source.dimension_names_json;
  Json attributes = parsed(source.attributes_json);
  if (!copy) {
    for (const char* name : of_elements) attributes.erase(name);
    to.attributes_json = text_of(attributes);
    return;
  }
  std::optional<std::vector<std::byte>> missing;
  if (source.fill_is_missing) missing = source.fill;
  else if (auto found = attributes.find(missing_name); found != attributes.end()) missing = missing_element(*found, source.type);
  to.fill = source.fill;
  if (missing && to_zarr2) {
    to.fill = *missing;
    attributes.erase(missing_name);
  } else if (missing) {
    attributes[missing_name] = missing_json(*missing, source.type, false);
  } else if (to_zarr2 && std::all_of(to.fill.begin(), to.fill.end(), [](std::byte each) { return each == std::byte{}; })) {
    to.fill.clear();  // as null: each 0 would be missing to xarray
  }
  to.attributes_json = text_of(attributes);
}

}  // namespace octavo
