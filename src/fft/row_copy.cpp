// SPDX-License-Identifier: Apache-2.0
// The inner loops of a transform out of cache: a transposition in blocks of one cache line each way.
#include "fft/row_copy.hpp"

#include <algorithm>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace octavo::fft {

namespace {

// One complex element moved as a unit; unaligned, since a tile's row may begin anywhere.
template <class Real>
struct Element {
  typedef Real Vector __attribute__((vector_size(2 * sizeof(Real)), aligned(sizeof(Real)), may_alias));
};
// Never a template argument: as one it would lose its attributes.
template <class Real>
using Vector = typename Element<Real>::Vector;

// Reading rows ahead of the hardware, which does not prefetch across pages.
constexpr std::int64_t ahead = 8;

// How elements are stored: as usual, or past the cache. The latter pays where the tile's lines, a multiple of 4 KiB apart, have pushed each
// other out of the cache since they were gathered: a usual store would fetch them again (measured: 4 against 6.5 GB/s).
enum class store_policy { cached, streaming };

template <store_policy How, class Real>
inline __attribute__((always_inline)) void store(Vector<Real>* to, Vector<Real> value) {
#if defined(__SSE2__)
  if constexpr (How == store_policy::streaming && sizeof(Vector<Real>) == 16) {
    __m128d bits;
    std::memcpy(&bits, &value, 16);
    return _mm_stream_pd(reinterpret_cast<double*>(to), bits);
  } else if constexpr (How == store_policy::streaming) {
    long long bits;
    std::memcpy(&bits, &value, 8);
    return _mm_stream_si64(reinterpret_cast<long long*>(to), bits);
  }
#endif
  *to = value;
}

// A square of one cache line each way, turned: element (i, j) of `in` goes to (j, i) of `out`.
template <bool Scaled, store_policy How, class Real>
inline __attribute__((always_inline)) void turn(const Vector<Real>* in, std::int64_t in_pitch, Vector<Real>* out, std::int64_t out_pitch, Vector<Real> factor) {
  constexpr std::int64_t line = 64 / sizeof(Vector<Real>);
  for (std::int64_t j = 0; j < line; ++j) {
    Vector<Real> moved[line];
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < line; ++i) moved[i] = Scaled ? in[i * in_pitch + j] * factor : in[i * in_pitch + j];
#pragma GCC unroll 8
    for (std::int64_t i = 0; i < line; ++i) store<How, Real>(out + j * out_pitch + i, moved[i]);
  }
}

// `rows` x `length` of `in` become `length` x `rows` of `out`.
template <bool Scaled, bool Prefetch, store_policy How, class Real>
void transpose(const Vector<Real>* in, std::int64_t in_pitch, std::int64_t rows, std::int64_t length, Vector<Real>* out, std::int64_t out_pitch,
               Vector<Real> factor) {
  constexpr std::int64_t line = 64 / sizeof(Vector<Real>);
  const std::int64_t whole_rows = rows / line * line, whole_length = length / line * line;
  for (std::int64_t i = 0; i < whole_rows; i += line) {
    for (std::int64_t j = 0; j < whole_length; j += line) {
      if (Prefetch)
        for (std::int64_t k = 0; k < line; ++k) __builtin_prefetch(in + (i + k + ahead) * in_pitch + j);
      turn<Scaled, How, Real>(in + i * in_pitch + j, in_pitch, out + j * out_pitch + i, out_pitch, factor);
    }
    for (std::int64_t j = whole_length; j < length; ++j)
      for (std::int64_t k = i; k < i + line; ++k) out[j * out_pitch + k] = Scaled ? in[k * in_pitch + j] * factor : in[k * in_pitch + j];
  }
  for (std::int64_t i = whole_rows; i < rows; ++i)
    for (std::int64_t j = 0; j < length; ++j) out[j * out_pitch + i] = Scaled ? in[i * in_pitch + j] * factor : in[i * in_pitch + j];
}

template <class Real>
void gather(const std::byte* tile, std::byte* buffer, const RowBlock& b) {
  using V = Vector<Real>;
  transpose<false, true, store_policy::cached, Real>(reinterpret_cast<const V*>(tile), b.pitch, b.length, b.rows, reinterpret_cast<V*>(buffer), b.row_stride,
                                                     V{});
}

// By blocks of k, outermost, so that whole lines of the tile are written one after another.
template <class Real, bool Scaled, store_policy How>
void scatter(const std::byte* buffer, std::byte* tile, const RowBlock& b, Real scale) {
  using V = Vector<Real>;
  constexpr std::int64_t line = 64 / sizeof(V);
  auto* from = reinterpret_cast<const V*>(buffer);
  auto* to = reinterpret_cast<V*>(tile);
  for (std::int64_t k = 0; k < b.length; k += line)
    transpose<Scaled, false, How, Real>(from + k, b.row_stride, b.rows, std::min(line, b.length - k), to + k * b.pitch, b.pitch, V{scale, scale});
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
  const auto factor = static_cast<Real>(scale);
  constexpr std::int64_t size = 2 * sizeof(Real);
  bool stream = b.pitch * size % 4096 == 0 && reinterpret_cast<std::uintptr_t>(tile) % size == 0;
  if (scaled && stream) return scatter<Real, true, store_policy::streaming>(buffer, tile, b, factor);
  if (scaled) return scatter<Real, true, store_policy::cached>(buffer, tile, b, factor);
  if (stream) return scatter<Real, false, store_policy::streaming>(buffer, tile, b, factor);
  scatter<Real, false, store_policy::cached>(buffer, tile, b, factor);
}

}  // namespace

void gather_rows(dtype type, const std::byte* tile, std::byte* buffer, const RowBlock& block) {
  if (block.pitch == 1 && block.rows == 1) std::memcpy(buffer, tile, static_cast<std::size_t>(block.length * size_of(type)));
  else if (type == dtype::complex64) gather<float>(tile, buffer, block);
  else gather<double>(tile, buffer, block);
}

void scatter_rows(dtype type, const std::byte* buffer, std::byte* tile, const RowBlock& block, double scale) {
  if (type == dtype::complex64) scatter_any<float>(buffer, tile, block, scale);
  else scatter_any<double>(buffer, tile, block, scale);
}

void scale_elements(dtype type, std::byte* data, std::int64_t count, double scale) {
  if (type == dtype::complex64) copy_scaled<float>(data, data, count, static_cast<float>(scale));
  else copy_scaled<double>(data, data, count, scale);
}

void finish_stores() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

}  // namespace octavo::fft
