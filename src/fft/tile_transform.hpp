// SPDX-License-Identifier: Apache-2.0
// Transforms a box that lies in memory as tiles along one of its axes, in place.
//
//   AxisTransform along(default_kernel(), dtype::complex128, 1024, false, 1.0, 2 * MiB);
//   along.run(tiles, whole, 2);        // whole.extents()[2] == 1024; once more for each box of that extent
//
// The tiles partition `whole` and form a grid, which need not be uniform: cut each axis somewhere, and the tiles are all the combinations.
// Rows are gathered in batches that stay in the cache, transformed contiguously, and scattered back multiplied by `scale`.
// work_bytes bounds what an AxisTransform holds (kernel plan and rows); least_work_bytes is the least, good_work_bytes what makes it fast.
// run() holds besides one pointer a tile. Threading: one thread at a time. Failure: usage_error for tiles that do not fit, refused for too little work.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "octavo/data/box.hpp"
#include "octavo/data/dtype.hpp"
#include "octavo/fft/kernel.hpp"

namespace octavo::fft {

struct BoxTile {
  Box box;          // its place, in the coordinates of `whole`
  std::byte* data;  // dense, C order, complex64 or complex128, aligned to 64 bytes
};

// Bytes for one row, and for the rows that fill the cache and whole cache lines of neighbouring rows; each with the kernel's plan.
std::int64_t least_work_bytes(const Kernel& kernel, dtype type, std::int64_t n);
std::int64_t good_work_bytes(const Kernel& kernel, dtype type, std::int64_t n);

class AxisTransform {
 public:
  AxisTransform(const Kernel& kernel, dtype type, std::int64_t n, bool inverse, double scale, std::int64_t work_bytes, effort how = effort::measured);

  void run(std::span<const BoxTile> tiles, const Box& whole, int axis);
  [[nodiscard]] std::int64_t rows_per_batch() const noexcept { return rows_; }

 private:
  struct Freed {
    void operator()(std::byte* p) const noexcept;
  };
  void run_group(std::span<const BoxTile* const> group, int axis);
  void scale_only(std::span<const BoxTile> tiles) const;

  dtype type_;
  std::int64_t n_, rows_ = 0, row_stride_ = 0;
  double scale_;
  std::unique_ptr<RowPlan> plan_;
  std::unique_ptr<std::byte, Freed> buffer_;
};

}  // namespace octavo::fft
