// SPDX-License-Identifier: Apache-2.0
#include "fft/plan/geometry.hpp"

#include <algorithm>

#include "octavo/base/bytes.hpp"

namespace octavo::fft {

namespace {

constexpr std::int64_t small_chunk = MiB;  // below it, chunks are read in groups

// How a box's extent b on an axis of n is cut by pages of p.
struct Cut {
  std::int64_t most_tiles, extent;  // extent: of the largest tile
  bool aligned;                     // all tiles but those at the array's edge have that extent
};

Cut cut_of(std::int64_t n, std::int64_t b, std::int64_t p) {
  b = std::min(b, n);
  p = std::min(p, n);
  if (p == n || (b < n && p % b == 0)) return {1, b, true};
  if (b == n || b % p == 0) return {(b + p - 1) / p, p, true};
  std::int64_t meets = b == 1 ? 1 : (b - 2) / p + 2;
  return {std::min(meets, (n + p - 1) / p), std::min(b, p), false};
}

}  // namespace

std::int64_t tile_memory(const Shape& shape, const Shape& box, const Shape& page, std::int64_t element, std::int64_t step) {
  std::int64_t tiles = 1, tile = element, all = element;
  bool aligned = true;
  for (int i = 0; i < shape.size(); ++i) {
    Cut cut = cut_of(shape[i], box[i], page[i]);
    tiles *= cut.most_tiles;
    tile *= cut.extent;
    all *= std::min(box[i], shape[i]);
    aligned = aligned && cut.aligned;
  }
  if (aligned) {
    // Of uniform tiles, and of pages that overhang the box at the array's edge, whichever bound is less.
    return std::min(tiles * round_up(tile, step), round_down(all, step) + tiles * step);
  }
  return round_down(all, step) + tiles * step;
}

bool same_tiles(const Shape& shape, const Shape& box, const Shape& a, const Shape& b) {
  for (int i = 0; i < shape.size(); ++i) {
    if (std::min(a[i], shape[i]) == std::min(b[i], shape[i])) continue;
    Cut first = cut_of(shape[i], box[i], a[i]), second = cut_of(shape[i], box[i], b[i]);
    if (!first.aligned || !second.aligned || first.extent != second.extent) return false;
  }
  return true;
}

std::int64_t run_bytes(const Shape& shape, const Shape& box, const Shape& page, const Shape& chunk, std::int64_t element) {
  std::int64_t run = element;
  for (int i = shape.size() - 1; i >= 0; --i) {
    std::int64_t stored = std::min(chunk[i], shape[i]), whole = std::min(box[i], shape[i]);
    std::int64_t part = std::min(whole, std::min(page[i], stored));
    Cut cut = cut_of(shape[i], whole, std::min(page[i], stored));
    // A box that does not begin where chunks do is cut once more than need be: on average this is left.
    if (!cut.aligned) part = std::max<std::int64_t>(1, whole / ((whole - 1) / std::min(page[i], stored) + 2));
    run *= part;
    if (part < stored) break;
  }
  return run;
}

Shape slab_page(const Shape& shape, const Shape& box, std::int64_t element, std::int64_t most) {
  Shape page = box;
  for (int i = 0; i < page.size(); ++i) {
    std::int64_t rest = element * page.count(i + 1, page.size());
    if (rest * page[i] <= most) break;
    std::int64_t pieces = std::min(page[i], (rest * page[i] + most - 1) / most);
    page[i] = (page[i] + pieces - 1) / pieces;
    if (box[i] >= shape[i]) continue;
    // Pages must not straddle boxes: equal parts where there is a divisor near, else a box loses what is left over.
    std::int64_t equal = divisor_upto(box[i], page[i]);
    page[i] = 2 * equal >= page[i] ? equal : box[i] / pieces;
  }
  return page;
}

std::int64_t divisor_upto(std::int64_t n, std::int64_t most) {
  while (most > 1 && n % most != 0) --most;
  return most;
}

Shape grouped_page(const Shape& shape, const Shape& box, const Shape& chunk, std::int64_t element) {
  Shape page = least_of(chunk, shape);
  for (int i = shape.size() - 1; i >= 0; --i) {
    if (box[i] < shape[i] && box[i] % page[i] != 0) continue;
    while (page[i] < std::min(box[i], shape[i]) && 2 * page.count() * element <= small_chunk) {
      std::int64_t twice = 2 * page[i];
      if (box[i] < shape[i] && box[i] % twice != 0) break;
      page[i] = twice;
    }
  }
  return least_of(page, shape);
}

Shape least_of(const Shape& a, const Shape& b) {
  Shape result = a;
  for (int i = 0; i < a.size(); ++i) result[i] = std::min(a[i], b[i]);
  return result;
}

}  // namespace octavo::fft
