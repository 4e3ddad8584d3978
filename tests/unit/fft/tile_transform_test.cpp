// SPDX-License-Identifier: Apache-2.0
#include "fft/tile_transform.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <new>

#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"
#include "unit/fft/reference.hpp"

namespace octavo::fft {
namespace {

using reference::Dense;

struct Freed {
  void operator()(std::byte* p) const { ::operator delete (p, std::align_val_t{64}); }
};

// A box as tiles cut at the given places on each axis, in an order that is not theirs in space.
template <class Real>
struct Tiled {
  std::vector<BoxTile> tiles;
  std::vector<std::unique_ptr<std::byte, Freed>> store;

  Tiled(Dense<Real>& from, const Box& whole, const std::vector<std::vector<std::int64_t>>& cuts) {
    Shape grid;
    for (const auto& cut : cuts) grid.push_back(static_cast<std::int64_t>(cut.size()) - 1);
    for (std::int64_t i = grid.count(); i-- > 0;) {
      Shape at = unflatten((i * 7 + 3) % grid.count(), grid);
      if (grid.count() % 7 == 0) at = unflatten(i, grid);
      Box box{at, at};
      for (int a = 0; a < at.size(); ++a) {
        auto k = static_cast<std::size_t>(at[a]);
        box.lo[a] = cuts[static_cast<std::size_t>(a)][k], box.hi[a] = cuts[static_cast<std::size_t>(a)][k + 1];
      }
      auto bytes = static_cast<std::size_t>(box.count()) * 2 * sizeof(Real);
      store.emplace_back(static_cast<std::byte*>(::operator new (bytes, std::align_val_t{64})));
      tiles.push_back({box, store.back().get()});
      copy(from, whole, tiles.back(), true);
    }
  }
  static void copy(Dense<Real>& array, const Box& whole, const BoxTile& tile, bool out) {
    array.copy(tile.box.shifted(whole.lo, -1), reinterpret_cast<std::complex<Real>*>(tile.data), out);
  }
};

template <class Real>
void check(const std::vector<std::vector<std::int64_t>>& cuts, int axis, bool inverse, double scale, std::int64_t work) {
  Shape lo, hi;
  for (const auto& cut : cuts) lo.push_back(cut.front()), hi.push_back(cut.back());
  Box whole{lo, hi};
  auto array = Dense<Real>::random(whole.extents(), 7);
  Tiled<Real> tiled(array, whole, cuts);
  dtype type = dtype_of<std::complex<Real>>();
  std::int64_t n = array.shape[axis], least = least_work_bytes(default_kernel(), type, n);
  AxisTransform along(default_kernel(), type, n, inverse, scale, std::max(work, least));
  along.run(tiled.tiles, whole, axis);
  auto want = array, got = Dense<Real>(array.shape);
  want.transform(axis, inverse, scale);
  for (const auto& tile : tiled.tiles) Tiled<Real>::copy(got, whole, tile, false);
  EXPECT_LT(want.distance(got), sizeof(Real) == 8 ? 1e-14 : 4e-6) << whole.text() << " axis " << axis << ", " << along.rows_per_batch() << " rows a batch";
}

TEST(AxisTransform, MatchesTheDefinitionOnUniformAndRaggedTiles) {
  std::vector<std::vector<std::vector<std::int64_t>>> grids{
      {{0, 16}},
      {{3, 4, 11, 20}},
      {{0, 8, 16}, {0, 16, 32}},
      {{5, 6, 18}, {1, 8, 9, 22}, {2, 7, 40}},
      {{0, 3}, {0, 5}, {0, 7}, {0, 3}},
      {{0, 2, 3}, {0, 4, 5}, {0, 6, 7}, {0, 1, 3}},
      {{0, 33}, {0, 130}},
      {{0, 5, 12}, {0, 256}},  // neighbours of a row 4 KiB apart: stored past the cache, here and below
      {{0, 6, 15}, {0, 510, 512}, {0, 1}},
      {{0, 9}, {0, 512}},
  };
  for (const auto& cuts : grids)
    for (int axis = 0; axis < static_cast<int>(cuts.size()); ++axis)
      for (std::int64_t work : {std::int64_t{0}, std::int64_t{70 * KiB}, std::int64_t{4 * MiB}}) {
        check<double>(cuts, axis, false, 1.0, work);
        check<float>(cuts, axis, true, 0.125, work);
      }
}

TEST(AxisTransform, OnePointIsOnlyScaled) {
  check<double>({{4, 5}, {0, 3, 9}}, 0, false, 1.0, 0);
  check<double>({{4, 5}, {0, 3, 9}}, 0, true, 0.5, 0);
  check<float>({{0, 3, 9}, {4, 5}}, 1, false, 3.0, 0);
  EXPECT_EQ(least_work_bytes(default_kernel(), dtype::complex128, 1), 0);
}

TEST(AxisTransform, ThereAndBackIsTheSame) {
  auto array = Dense<double>::random({12, 100}, 3), before = array;
  Box whole = Box::whole(array.shape);
  BoxTile tile{whole, reinterpret_cast<std::byte*>(array.values.data())};
  AxisTransform(default_kernel(), dtype::complex128, 12, false, 1.0, MiB).run({&tile, 1}, whole, 0);
  EXPECT_GT(array.distance(before), 0.1);
  AxisTransform(default_kernel(), dtype::complex128, 12, true, 1.0 / 12, MiB).run({&tile, 1}, whole, 0);
  EXPECT_LT(array.distance(before), 1e-14);
}

TEST(AxisTransform, BatchesFillCacheLinesAndKeepToTheirWork) {
  std::int64_t least = least_work_bytes(default_kernel(), dtype::complex128, 1024);
  EXPECT_EQ(AxisTransform(default_kernel(), dtype::complex128, 1024, false, 1.0, least).rows_per_batch(), 1);
  EXPECT_THROW(AxisTransform(default_kernel(), dtype::complex128, 1024, false, 1.0, least - 1), refused);
  std::int64_t good = good_work_bytes(default_kernel(), dtype::complex128, 1024);
  EXPECT_EQ(AxisTransform(default_kernel(), dtype::complex128, 1024, false, 1.0, good).rows_per_batch() % 4, 0);
  EXPECT_EQ(AxisTransform(default_kernel(), dtype::complex128, 1024, false, 1.0, GiB).rows_per_batch(),
            AxisTransform(default_kernel(), dtype::complex128, 1024, false, 1.0, good).rows_per_batch());
}

TEST(AxisTransform, RefusesTilesThatDoNotPartitionBeforeTouchingThem) {
  auto array = Dense<double>::random({8, 8}, 3), before = array;
  auto* data = reinterpret_cast<std::byte*>(array.values.data());
  Box whole = Box::whole(array.shape);
  AxisTransform along(default_kernel(), dtype::complex128, 8, false, 1.0, MiB);
  auto refused_by = [&](std::vector<BoxTile> tiles, int axis) { EXPECT_THROW(along.run(tiles, whole, axis), usage_error); };
  refused_by({{whole, data}}, 2);
  refused_by({{Box{{0, 0}, {4, 8}}, data}}, 0);
  refused_by({{Box{{0, 0}, {8, 9}}, data}}, 0);
  refused_by({{Box{{0, 0}, {4, 8}}, data}, {Box{{0, 0}, {4, 8}}, data}}, 0);
  refused_by({{Box{{0, 0}, {4, 8}}, data}, {Box{{4, 0}, {8, 4}}, data}, {Box{{4, 4}, {8, 8}}, data}}, 0);
  EXPECT_THROW(along.run(std::vector<BoxTile>{{Box{{0, 0}, {4, 8}}, data}}, Box{{0, 0}, {4, 8}}, 0), usage_error);
  EXPECT_EQ(array.distance(before), 0);
}

}  // namespace
}  // namespace octavo::fft
