// SPDX-License-Identifier: Apache-2.0
// The element types an array can have.
//
//   octavo::dtype t = octavo::parse_dtype("complex128");  octavo::size_of(t) == 16;  octavo::name_of(t) == "complex128";
//   octavo::dtype_of<float>() == octavo::dtype::float32;
#pragma once

#include <algorithm>
#include <complex>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <type_traits>

namespace octavo {

enum class dtype : std::uint8_t { int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64, complex64, complex128 };
inline constexpr int dtype_count = 12;

enum class byte_order : std::uint8_t { little, big };

std::int64_t size_of(dtype type) noexcept;      // bytes of one element
std::string_view name_of(dtype type) noexcept;  // NumPy's and Zarr v3's name
dtype parse_dtype(std::string_view name);       // throws not_supported naming the list
bool is_complex(dtype type) noexcept;
// The type a transform of `type` has, as SciPy's: float32 and complex64 give complex64, all others complex128.
dtype transformed(dtype type) noexcept;

namespace detail {
template <class T, class... Known>
constexpr int position_among() {
  constexpr bool is[] = {std::is_same_v<T, Known>...};
  return static_cast<int>(std::find(std::begin(is), std::end(is), true) - std::begin(is));
}
}  // namespace detail

template <class T>
constexpr dtype dtype_of() {
  constexpr int number = detail::position_among<T, std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                                                std::uint64_t, float, double, std::complex<float>, std::complex<double>>();
  static_assert(number < dtype_count, "an array has no elements of this type");
  return static_cast<dtype>(number);
}

// Calls visit(T{}) with the C++ type of `type`.
template <class Visit>
decltype(auto) with_type(dtype type, Visit&& visit) {
  switch (type) {
    case dtype::int8: return visit(std::int8_t{});
    case dtype::int16: return visit(std::int16_t{});
    case dtype::int32: return visit(std::int32_t{});
    case dtype::int64: return visit(std::int64_t{});
    case dtype::uint8: return visit(std::uint8_t{});
    case dtype::uint16: return visit(std::uint16_t{});
    case dtype::uint32: return visit(std::uint32_t{});
    case dtype::uint64: return visit(std::uint64_t{});
    case dtype::float32: return visit(float{});
    case dtype::float64: return visit(double{});
    case dtype::complex64: return visit(std::complex<float>{});
    case dtype::complex128: return visit(std::complex<double>{});
  }
  __builtin_unreachable();
}

}  // namespace octavo
