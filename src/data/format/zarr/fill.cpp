// SPDX-License-Identifier: Apache-2.0
#include "data/format/zarr/fill.hpp"

#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "octavo/base/error.hpp"

namespace octavo {

namespace {

// All of the text, also with a '+', which Python reads.
template <class T>
bool parse_all(std::string_view text, T& result) {
  if (text.starts_with('+') && !text.substr(1).starts_with('-')) text.remove_prefix(1);
  auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), result);
  return status == std::errc() && end == text.data() + text.size();
}

// The bits of a float of another size, as zarr-python reads them: its value.
template <class Bits, class Real, class T>
bool from_bits(std::string_view text, T& result) {
  Bits bits = 0;
  auto [end, status] = std::from_chars(text.data() + 2, text.data() + text.size(), bits, 16);
  if (status != std::errc() || end != text.data() + text.size()) return false;
  result = static_cast<T>(std::bit_cast<Real>(bits));
  return true;
}

template <class T>
bool from_text(const std::string& text, T& result) {
  if (text == "NaN") result = std::numeric_limits<T>::quiet_NaN();
  else if (text == "Infinity") result = std::numeric_limits<T>::infinity();
  else if (text == "-Infinity") result = -std::numeric_limits<T>::infinity();
  else if (text.starts_with("0x") && text.size() == 10) return from_bits<std::uint32_t, float>(text, result);
  else if (text.starts_with("0x") && text.size() == 18) return from_bits<std::uint64_t, double>(text, result);
  else if (double number = 0; parse_all(text, number)) result = static_cast<T>(number);  // rounded twice, as NumPy does
  else return false;
  return true;
}

template <class T>
bool from_json(const Json& value, T& result) {
  if (std::is_arithmetic_v<T> && value.is_boolean()) {  // which is a number in Python
    result = static_cast<T>(value.get<bool>() ? 1 : 0);
    return true;
  }
  if constexpr (std::is_floating_point_v<T>) {
    if (value.is_string()) return from_text(bare_word(value).value_or(value.get<std::string>()), result);
    if (!value.is_number()) return false;
    result = static_cast<T>(value.get<double>());
    return true;
  } else if constexpr (std::is_integral_v<T>) {
    if (value.is_string()) return parse_all(value.get<std::string>(), result);
    if (value.is_number_unsigned()) {
      auto number = value.get<std::uint64_t>();
      result = static_cast<T>(number);
      return number <= static_cast<std::uint64_t>(std::numeric_limits<T>::max());
    }
    if (!value.is_number_integer() || std::is_unsigned_v<T>) return false;
    auto number = value.get<std::int64_t>();
    result = static_cast<T>(number);
    return static_cast<std::int64_t>(result) == number;
  } else {
    typename T::value_type real{}, imaginary{};
    if (!value.is_array() || value.size() != 2 || !from_json(value[0], real) || !from_json(value[1], imaginary)) return false;
    result = {real, imaginary};
    return true;
  }
}

template <class T>
Json to_json(T value, [[maybe_unused]] bool any_nan) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) {  // "NaN" is one of many: the others keep their bits
      using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
      if (any_nan || std::bit_cast<Bits>(value) == std::bit_cast<Bits>(std::numeric_limits<T>::quiet_NaN())) return "NaN";
      char text[2 * sizeof(T) + 3];
      std::snprintf(text, sizeof text, "0x%0*llx", static_cast<int>(2 * sizeof(T)), static_cast<unsigned long long>(std::bit_cast<Bits>(value)));
      return text;
    }
    if (std::isinf(value)) return value > 0 ? "Infinity" : "-Infinity";
    return value;
  } else if constexpr (std::is_integral_v<T>) {
    return value;
  } else {
    return Json::array({to_json(value.real(), any_nan), to_json(value.imag(), any_nan)});
  }
}

}  // namespace

std::vector<std::byte> parse_fill(const Json& value, dtype type, const std::string& file) {
  std::vector<std::byte> element(static_cast<std::size_t>(size_of(type)));
  with_type(type, [&](auto result) {
    if (!from_json(whole_number(value, type), result))
      throw usage_error("'" + file + "': the fill_value " + shown(value) + " is not a " + std::string(name_of(type)),
                        "Write a value of that type, for complex types a pair of numbers");
    std::memcpy(element.data(), &result, sizeof result);
  });
  return element;
}

Json whole_number(const Json& value, dtype type) {
  const double number = value.is_number_float() ? value.get<double>() : 0.5;
  if (type > dtype::uint64 || number != std::trunc(number) || std::abs(number) > 0x1p53) return value;
  return number < 0 ? Json(static_cast<std::int64_t>(number)) : Json(static_cast<std::uint64_t>(number));
}

Json fill_json(const std::vector<std::byte>& element, dtype type, bool any_nan) {
  return with_type(type, [&](auto value) -> Json {
    if (!element.empty()) std::memcpy(&value, element.data(), sizeof value);
    return to_json(value, any_nan);
  });
}

}  // namespace octavo
