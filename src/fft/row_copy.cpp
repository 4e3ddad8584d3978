// SPDX-License-Identifier: Apache-2.0
// The inner loops of a transform out of cache: a transposition in blocks of one cache line each way.
#include "fft/row_copy.hpp"

#include <cstring>

namespace octavo::fft {

namespace {

// One complex element moved as a unit; unaligned, since a tile's row may begin anywhere.
template <class Real>
struct Element {
  typedef Real Vector __attribute__((vector_size(2 * sizeof(Real)), aligned(sizeof(Real)), may_alias));
  static constexpr std::int64_t per_line = 64 / (2 * sizeof(Real));
};

// Reading rows ahead of the hardware, which does not prefetch across pages.
constexpr std::int64_t ahead = 8;

template <class Real>
void gather(const std::byte* tile, std::byte* buffer, const RowBlock& b) {
  using V = typename Element<Real>::Vector;
  constexpr auto line = Element<Real>::per_line;
  auto* from = reinterpret_cast<const V*>(tile);
  auto* to = reinterpret_cast<V*>(buffer);
  std::int64_t k = 0;
  for (; k + line <= b.length; k += line) {
    const V* in = from + k * b.pitch;
    V* out = to + k;
    for (std::int64_t i = 0; i < b.rows; ++i, ++in, out += b.row_stride) {
      if (i % line == 0)
        for (std::int64_t j = 0; j < line; ++j) __builtin_prefetch(in + (j + ahead) * b.pitch);
      V moved[line];
      for (std::int64_t j = 0; j < line; ++j) moved[j] = in[j * b.pitch];
      for (std::int64_t j = 0; j < line; ++j) out[j] = moved[j];
    }
  }
  for (; k < b.length; ++k)
    for (std::int64_t i = 0; i < b.rows; ++i) to[i * b.row_stride + k] = from[k * b.pitch + i];
}

template <class Real, bool Scaled>
void scatter(const std::byte* buffer, std::byte* tile, const RowBlock& b, Real scale) {
  using V = typename Element<Real>::Vector;
  constexpr auto line = Element<Real>::per_line;
  const V factor{scale, scale};
  auto* from = reinterpret_cast<const V*>(buffer);
  auto* to = reinterpret_cast<V*>(tile);
  std::int64_t k = 0;
  for (; k + line <= b.length; k += line) {
    const V* in = from + k;
    V* out = to + k * b.pitch;
    for (std::int64_t i = 0; i < b.rows; ++i, ++out, in += b.row_stride) {
      V moved[line];
      for (std::int64_t j = 0; j < line; ++j) moved[j] = Scaled ? in[j] * factor : in[j];
      for (std::int64_t j = 0; j < line; ++j) out[j * b.pitch] = moved[j];
    }
  }
  for (; k < b.length; ++k)
    for (std::int64_t i = 0; i < b.rows; ++i) to[k * b.pitch + i] = Scaled ? from[i * b.row_stride + k] * factor : from[i * b.row_stride + k];
}

template <class Real>
void copy_scaled(const std::byte* from, std::byte* to, std::int64_t count, Real scale) {
  auto* in = reinterpret_cast<const Real*>(from);
  auto* out = reinterpret_cast<Real*>(to);
  for (std::int64_t i = 0; i < 2 * count; ++i) out[i] = in[i] * scale;
}

template <class Real>
void scatter_any(const std::byte* buffer, std::byte* tile, const RowBlock& b, double scale) {
  bool scaled = scale != 1.0;
  if (b.pitch == 1 && b.rows == 1) {
    if (scaled) return copy_scaled<Real>(buffer, tile, b.length, static_cast<Real>(scale));
    std::memcpy(tile, buffer, static_cast<std::size_t>(b.length) * 2 * sizeof(Real));
    return;
  }
  if (scaled) return scatter<Real, true>(buffer, tile, b, static_cast<Real>(scale));
  scatter<Real, false>(buffer, tile, b, Real(1));
}

}  // namespace

void gather_rows(dtype type, const std::byte* tile, std::byte* buffer, const RowBlock& block) {
  if (block.pitch == 1 && block.rows == 1)
    std::memcpy(buffer, tile, static_cast<std::size_t>(block.length * size_of(type)));
  else if (type == dtype::complex64)
    gather<float>(tile, buffer, block);
  else
    gather<double>(tile, buffer, block);
}

void scatter_rows(dtype type, const std::byte* buffer, std::byte* tile, const RowBlock& block, double scale) {
  if (type == dtype::complex64)
    scatter_any<float>(buffer, tile, block, scale);
  else
    scatter_any<double>(buffer, tile, block, scale);
}

void scale_elements(dtype type, std::byte* data, std::int64_t count, double scale) {
  if (type == dtype::complex64)
    copy_scaled<float>(data, data, count, static_cast<float>(scale));
  else
    copy_scaled<double>(data, data, count, scale);
}

}  // namespace octavo::fft
