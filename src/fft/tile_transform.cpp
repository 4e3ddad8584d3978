// SPDX-License-Identifier: Apache-2.0
#include "fft/tile_transform.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <vector>

#include "fft/row_copy.hpp"
#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"

namespace octavo::fft {

namespace {

constexpr std::int64_t cache_bytes = 512 * KiB;  // of rows: with the tile's lines they came from, within a 2 MiB L2, mostly within 1 MiB
constexpr std::int64_t fewest_good_rows = 8, most_rows = 4096;

// Rows begin on cache lines, and not at multiples of 512 bytes, which would put one position of all rows into few sets of the L1 cache.
std::int64_t padded_stride(dtype type, std::int64_t n) {
  std::int64_t bytes = round_up(n * size_of(type), 64);
  if (bytes % 512 == 0) bytes += 64;
  return bytes / size_of(type);
}

// The order of tiles that puts those of one cross-section together, along the axis.
bool before(const BoxTile* a, const BoxTile* b, int axis) {
  for (int i = 0; i < a->box.dims(); ++i)
    if (i != axis && a->box.lo[i] != b->box.lo[i]) return a->box.lo[i] < b->box.lo[i];
  return a->box.lo[axis] < b->box.lo[axis];
}

bool same_section(const BoxTile* a, const BoxTile* b, int axis) {
  for (int i = 0; i < a->box.dims(); ++i)
    if (i != axis && (a->box.lo[i] != b->box.lo[i] || a->box.hi[i] != b->box.hi[i])) return false;
  return true;
}

void check_group(std::span<const BoxTile* const> group, const Box& whole, int axis) {
  std::int64_t reached = whole.lo[axis];
  for (auto* tile : group) {
    if (tile->box.lo[axis] != reached)
      throw usage_error("the tiles of " + whole.text() + " leave a gap or overlap at " + std::to_string(reached) + " on axis " + std::to_string(axis) +
                        ", before " + tile->box.text());
    reached = tile->box.hi[axis];
  }
  if (reached != whole.hi[axis]) throw usage_error("the tiles of " + whole.text() + " end at " + std::to_string(reached) + " on axis " + std::to_string(axis));
}

void check_whole(std::span<const BoxTile> tiles, const Box& whole, int axis, std::int64_t n) {
  if (axis < 0 || axis >= whole.dims() || whole.hi[axis] - whole.lo[axis] != n)
    throw usage_error("a transform of " + std::to_string(n) + " points does not fit axis " + std::to_string(axis) + " of " + whole.text());
  std::int64_t covered = 0;
  for (const auto& tile : tiles) {
    if (tile.box.dims() != whole.dims() || !whole.contains(tile.box)) throw usage_error("the tile " + tile.box.text() + " is not within " + whole.text());
    covered += tile.box.count();
  }
  if (covered != whole.count())
    throw usage_error("the tiles of " + whole.text() + " have " + std::to_string(covered) + " elements together, not " + std::to_string(whole.count()));
}

}  // namespace

std::int64_t least_work_bytes(const Kernel& kernel, dtype type, std::int64_t n) {
  return n == 1 ? 0 : kernel.plan_bytes(type, n) + padded_stride(type, n) * size_of(type);
}

std::int64_t good_work_bytes(const Kernel& kernel, dtype type, std::int64_t n) {
  if (n == 1) return 0;
  std::int64_t row = padded_stride(type, n) * size_of(type);
  return kernel.plan_bytes(type, n) + std::max(cache_bytes, fewest_good_rows * row);
}

void AxisTransform::Freed::operator()(std::byte* p) const noexcept { ::operator delete (p, std::align_val_t{64}); }

AxisTransform::AxisTransform(const Kernel& kernel, dtype type, std::int64_t n, bool inverse, double scale, std::int64_t work_bytes, effort how)
    : type_(type), n_(n), scale_(scale) {
  if (!is_complex(type) || n < 1) throw usage_error("cannot transform " + std::to_string(n) + " points of " + std::string(name_of(type)));
  if (n == 1) return;
  std::int64_t least = least_work_bytes(kernel, type, n);
  if (work_bytes < least)
    throw refused("a transform of " + std::to_string(n) + " points needs " + format_bytes(least) + " to work in, and has " + format_bytes(work_bytes),
                  "Give it at least " + std::to_string(least) + " bytes");
  row_stride_ = padded_stride(type, n);
  std::int64_t row = row_stride_ * size_of(type);
  std::int64_t room = std::min(work_bytes - kernel.plan_bytes(type, n), std::max(cache_bytes, fewest_good_rows * row));
  rows_ = std::min(room / row, most_rows);
  // Whole cache lines of neighbouring rows, so that none is fetched for two batches.
  std::int64_t line = 64 / size_of(type);
  if (rows_ > line) rows_ = round_down(rows_, line);
  plan_ = kernel.plan(type, n, rows_, row_stride_, inverse, how);  // before the buffer: clause K-5
  buffer_.reset(static_cast<std::byte*>(::operator new (static_cast<std::size_t>(rows_ * row), std::align_val_t{64})));
}

void AxisTransform::run(std::span<const BoxTile> tiles, const Box& whole, int axis) {
  check_whole(tiles, whole, axis, n_);
  if (n_ == 1) return scale_only(tiles);
  std::vector<const BoxTile*> ordered;
  ordered.reserve(tiles.size());
  for (const auto& tile : tiles)
    if (!tile.box.empty()) ordered.push_back(&tile);
  std::sort(ordered.begin(), ordered.end(), [axis](auto* a, auto* b) { return before(a, b, axis); });
  std::span<const BoxTile* const> rest(ordered);
  // All groups are checked before the first byte changes: a refusal leaves the data as it was.
  auto next_group = [&](auto& left) {
    std::size_t size = 1;
    while (size < left.size() && same_section(left[0], left[size], axis)) ++size;
    auto group = left.first(size);
    left = left.subspan(size);
    return group;
  };
  for (auto left = rest; !left.empty();) check_group(next_group(left), whole, axis);
  for (auto left = rest; !left.empty();) run_group(next_group(left), axis);
  finish_stores();
}

// Rows are numbered outer x inner over the cross-section; a batch is made of runs of rows adjacent in `inner`.
void AxisTransform::run_group(std::span<const BoxTile* const> group, int axis) {
  struct RowRun {
    std::int64_t outer, inner, rows;
  };
  Shape section = group[0]->box.extents();
  std::int64_t outer = section.count(0, axis), inner = section.count(axis + 1, section.size()), size = size_of(type_);
  std::int64_t first = group[0]->box.lo[axis], total = outer * inner;
  // Visits the runs of rows [from, from + rows) in all tiles.
  auto each = [&](std::int64_t from, std::int64_t rows, auto&& move) {
    for (std::int64_t done = 0; done < rows;) {
      RowRun run{(from + done) / inner, (from + done) % inner, 0};
      run.rows = std::min(rows - done, inner - run.inner);
      for (auto* tile : group) {
        std::int64_t length = tile->box.hi[axis] - tile->box.lo[axis];
        auto* in_tile = tile->data + (run.outer * length * inner + run.inner) * size;
        auto* in_buffer = buffer_.get() + (done * row_stride_ + tile->box.lo[axis] - first) * size;
        move(in_tile, in_buffer, RowBlock{length, run.rows, inner, row_stride_});
      }
      done += run.rows;
    }
  };
  for (std::int64_t from = 0; from < total; from += rows_) {
    std::int64_t rows = std::min(rows_, total - from);
    each(from, rows, [&](std::byte* tile, std::byte* buffer, const RowBlock& block) { gather_rows(type_, tile, buffer, block); });
    plan_->run(buffer_.get(), rows);
    each(from, rows, [&](std::byte* tile, std::byte* buffer, const RowBlock& block) { scatter_rows(type_, buffer, tile, block, scale_); });
  }
}

void AxisTransform::scale_only(std::span<const BoxTile> tiles) const {
  if (scale_ == 1.0) return;
  for (const auto& tile : tiles) scale_elements(type_, tile.data, tile.box.count(), scale_);
}

}  // namespace octavo::fft
