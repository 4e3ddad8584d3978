// SPDX-License-Identifier: Apache-2.0
// The loops of Converter. A complex element is two scalars, so only scalar loops are needed: n to n, and real to (real, 0).
#include <cstring>
#include <type_traits>

#include "data/io/convert.hpp"

namespace octavo::detail {

namespace {

template <std::size_t Bytes>
using Bits =
    std::conditional_t<Bytes == 1, std::uint8_t, std::conditional_t<Bytes == 2, std::uint16_t, std::conditional_t<Bytes == 4, std::uint32_t, std::uint64_t>>>;

template <class T>
Bits<sizeof(T)> swapped(Bits<sizeof(T)> bits) {
  if constexpr (sizeof(T) == 2) return __builtin_bswap16(bits);
  else if constexpr (sizeof(T) == 4) return __builtin_bswap32(bits);
  else if constexpr (sizeof(T) == 8) return __builtin_bswap64(bits);
  else return bits;
}

// memcpy: the bytes of a file have no alignment.
template <class T, bool Swap>
T load(const std::byte* at) {
  Bits<sizeof(T)> bits;
  std::memcpy(&bits, at, sizeof bits);
  return std::bit_cast<T>(Swap ? swapped<T>(bits) : bits);
}

template <class T, bool Swap>
void store(std::byte* at, T value) {
  auto bits = std::bit_cast<Bits<sizeof(T)>>(value);
  if constexpr (Swap) bits = swapped<T>(bits);
  std::memcpy(at, &bits, sizeof bits);
}

enum class components { real, complex, real_to_complex };

template <class From, bool SwapFrom, class To, bool SwapTo, components Components>
inline void copy_one(std::byte* to, const std::byte* from) {
  store<To, SwapTo>(to, static_cast<To>(load<From, SwapFrom>(from)));
  if constexpr (Components == components::complex) store<To, SwapTo>(to + sizeof(To), static_cast<To>(load<From, SwapFrom>(from + sizeof(From))));
  if constexpr (Components == components::real_to_complex) store<To, false>(to + sizeof(To), To{0});
}

template <class From, bool SwapFrom, class To, bool SwapTo, components Components>
void copy_rows(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride, std::int64_t rows, std::int64_t elements) {
  constexpr std::int64_t from_bytes = sizeof(From) * (Components == components::complex ? 2 : 1);
  constexpr std::int64_t to_bytes = sizeof(To) * (Components == components::real ? 1 : 2);
  if (elements == 1) {  // a column: the rows are the long loop
    for (std::int64_t row = 0; row < rows; ++row) copy_one<From, SwapFrom, To, SwapTo, Components>(to + row * to_stride, from + row * from_stride);
    return;
  }
  for (std::int64_t row = 0; row < rows; ++row) {
    std::byte* __restrict out = to + row * to_stride;
    const std::byte* __restrict in = from + row * from_stride;
    for (std::int64_t i = 0; i < elements; ++i) copy_one<From, SwapFrom, To, SwapTo, Components>(out + i * to_bytes, in + i * from_bytes);
  }
}

template <std::size_t Bytes>
void move_rows(std::byte* to, std::int64_t to_stride, const std::byte* from, std::int64_t from_stride, std::int64_t rows, std::int64_t elements) {
  std::int64_t length = elements * static_cast<std::int64_t>(Bytes);
  if (rows == 1 || (to_stride == length && from_stride == length)) {
    std::memcpy(to, from, static_cast<std::size_t>(rows * length));
  } else if (elements == 1) {
    for (std::int64_t row = 0; row < rows; ++row) std::memcpy(to + row * to_stride, from + row * from_stride, Bytes);
  } else {
    for (std::int64_t row = 0; row < rows; ++row) std::memcpy(to + row * to_stride, from + row * from_stride, static_cast<std::size_t>(length));
  }
}

RowCopy* moving(std::int64_t bytes) {
  switch (bytes) {
    case 1: return move_rows<1>;
    case 2: return move_rows<2>;
    case 4: return move_rows<4>;
    case 8: return move_rows<8>;
    default: return move_rows<16>;
  }
}

template <class From, class To, components Components>
RowCopy* pick(bool swap_from, bool swap_to) {
  if (swap_from) return swap_to ? copy_rows<From, true, To, true, Components> : copy_rows<From, true, To, false, Components>;
  return swap_to ? copy_rows<From, false, To, true, Components> : copy_rows<From, false, To, false, Components>;
}

template <class T>
struct ScalarOf {
  using type = T;
};
template <class T>
struct ScalarOf<std::complex<T>> {
  using type = T;
};

}  // namespace

RowCopy* row_copy(ElementForm from, ElementForm to) {
  bool swap_from = from.order != native_order, swap_to = to.order != native_order;
  if (from.type == to.type && (from.order == to.order || size_of(from.type) == 1)) return moving(size_of(from.type));
  return with_type(from.type, [&](auto from_example) {
    return with_type(to.type, [&](auto to_example) -> RowCopy* {
      using From = decltype(from_example);
      using To = decltype(to_example);
      using FromScalar = typename ScalarOf<From>::type;
      using ToScalar = typename ScalarOf<To>::type;
      constexpr bool from_complex = !std::is_same_v<From, FromScalar>, to_complex = !std::is_same_v<To, ToScalar>;
      if constexpr (std::is_same_v<From, To>) return pick < FromScalar, ToScalar, from_complex ? components::complex : components::real > (swap_from, swap_to);
      else if constexpr (std::is_integral_v<ToScalar> || (from_complex && !to_complex)) return nullptr;
      else if constexpr (from_complex) return pick<FromScalar, ToScalar, components::complex>(swap_from, swap_to);
      else return pick < FromScalar, ToScalar, to_complex ? components::real_to_complex : components::real > (swap_from, swap_to);
    });
  });
}

}  // namespace octavo::detail
