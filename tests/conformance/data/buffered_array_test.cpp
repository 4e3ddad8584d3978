// SPDX-License-Identifier: Apache-2.0
// Buffered arrays (BA-1 to BA-7) over everything that one can lie in.
#include "octavo/data/buffered/buffered_array.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <numeric>
#include <random>

#include "kit/watchdog.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/open_array.hpp"
#include "octavo/machine/engine.hpp"
#include "unit/data/scratch.hpp"

namespace {

namespace ov = octavo;
namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::ThrowsMessage;
using Grid = ov::BufferedArray<std::int32_t, 2>;
constexpr std::int64_t rows = 70, columns = 50;
const ov::BufferedOptions small{.mode = "r+", .buffers = 9, .elements = 64};

class Buffered : public testing::TestWithParam<std::string> {
 protected:
  [[nodiscard]] std::string path() const { return scratch / ("a" + GetParam()); }
  // Of zeros; "array" lies with devices of the Runtime.
  void make() {
    if (GetParam() == "array") {
      runtime.emplace(ov::RuntimeOptions{.memory = 16 * ov::MiB});
      array = ov::create_array(scratch / "a.octavo", {rows, columns}, ov::dtype::int32, {.chunk = {16, 16}});
    } else {
      Grid made(path(), {rows, columns}, {.mode = "w", .memory = ov::MiB, .chunk = {16, 16}});
    }
  }
  [[nodiscard]] Grid open(const ov::BufferedOptions& options = small) const {
    if (GetParam() == "array") return Grid(array, options);
    return Grid(path(), GetParam() == ".raw" ? ov::Shape{rows, columns} : ov::Shape(), options);
  }
  ov::kit::Watchdog watchdog{60};
  ov::test::Scratch scratch;
  std::optional<ov::Runtime> runtime;
  ov::Array array;
};
INSTANTIATE_TEST_SUITE_P(Formats, Buffered, testing::Values(".raw", ".npy", ".zarr", ".octavo", "array"),
                         [](const auto& of) { return of.param == "array" ? of.param : of.param.substr(1); });

TEST_P(Buffered, BA1_BA4_WhatIsReadIsWhatWasWrittenWhateverIsDoneInWhichOrder) {
  make();
  Grid u = open();
  ASSERT_LT(u.counters().buffers * u.block_shape().count(), rows * columns);  // or nothing would ever leave
  std::vector<std::int32_t> model(rows * columns);
  std::mt19937 random(20261127);
  auto below = [&](std::int64_t limit) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(limit)); };
  for (int step = 0; step < 20000; ++step) {
    const std::int64_t i = below(rows), j = below(columns);
    auto& known = model[static_cast<std::size_t>(i * columns + j)];
    switch (below(step % 500 == 0 ? 6 : 3)) {
      case 0: u[i][j] = known = step; break;
      case 1: ASSERT_EQ(u[i][j], known) << i << ", " << j; break;
      case 2:
        u[i][j] += 3;
        known += 3;
        break;
      case 3: u.writeback(); break;
      case 4:
        u.writeback();
        u.invalidate();
        break;
      default:
        u.for_each_block([](const ov::Block<std::int32_t, 2>& block) {
          for (const std::span<std::int32_t> row : block.rows())
            for (auto& x : row) x ^= 1;
        });
        for (auto& x : model) x ^= 1;
    }
  }
  const Grid& seen = u;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) ASSERT_EQ(seen[i][j], model[static_cast<std::size_t>(i * columns + j)]) << i << ", " << j;
}

TEST_P(Buffered, BA2_TwoThatWriteToTheSameBlocksLoseNothing) {
  make();
  Grid even = open(), odd = open();
  for (int round = 1; round <= (GetParam() == "array" ? 3 : 20); ++round) {  // each element is a call to a device there
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) ((i + j) % 2 == 0 ? even : odd)[i][j] = round * 10000 + static_cast<int>(i * columns + j);
    even.writeback();
    odd.writeback();
    even.invalidate();
    odd.invalidate();
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) ASSERT_EQ(even[i][j], round * 10000 + i * columns + j) << "round " << round << ": " << i << ", " << j;
  }
}

TEST_P(Buffered, BA2_WhatWasWrittenIsThereAfterTheEnd) {
  make();
  {
    Grid u = open();
    for (std::int64_t i = 0; i < rows; ++i) u[i][i % columns] = 7;
  }
  const Grid u = open({.memory = 64 * ov::KiB});
  std::int64_t sum = 0;
  u.for_each_block([&](const ov::Block<const std::int32_t, 2>& block) {
    for (const auto row : block.rows()) sum = std::accumulate(row.begin(), row.end(), sum);
  });
  EXPECT_EQ(sum, 7 * rows);
}

TEST_P(Buffered, BA3_InvalidateShowsWhatOthersWroteBackAndRefusesToLoseWhatWasWritten) {
  make();
  Grid mine = open(), others = open();
  EXPECT_EQ(mine[3][4], 0);
  others[3][4] = 5;
  others.writeback();
  mine.invalidate();
  EXPECT_EQ(mine[3][4], 5);
  mine[0][0] = mine[0][1] = mine[69][49] = 1;
  EXPECT_EQ(mine.dirty_elements(), 3);
  EXPECT_THAT([&] { mine.invalidate(); }, ThrowsMessage<ov::usage_error>(HasSubstr("3 elements")));
  EXPECT_EQ(mine[0][1], 1);
  mine.invalidate(ov::discard::yes);
  EXPECT_EQ(mine[0][1], 0);
  EXPECT_EQ(mine.dirty_elements(), 0);
}

TEST_P(Buffered, BA3_SyncShowsEachWhatAllWrote) {
  make();
  Grid u = open(), w = open();
  struct Together {
    Grid& other;
    int* met;
    void barrier() const {
      if (++*met == 1) other.writeback();
    }
  };
  int met = 0;
  u[1][1] = 11;
  w[2][2] = 22;
  u.sync(Together{w, &met});
  EXPECT_EQ(met, 2);
  EXPECT_EQ(u[2][2], 22);
  EXPECT_EQ(u.dirty_elements(), 0);
}

TEST_P(Buffered, BA5_ABlockStaysWhereItIsWhileOthersComeAndGo) {
  make();
  Grid u = open();
  const ov::Block<std::int32_t, 2> block = u.block({5, 5});
  std::int32_t& element = block(5, 5);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) u[i][j] = 1;
  u.writeback();
  element = 42;  // after all was written back
  EXPECT_EQ(u[5][5], 42);
  EXPECT_THAT([&] { u.invalidate(ov::discard::yes); }, ThrowsMessage<ov::usage_error>(HasSubstr("is in use")));
}

TEST_P(Buffered, BA5_WhereAllBuffersArePinnedTheNextIsAUsageError) {
  make();
  Grid u = open({.mode = "r+", .buffers = 3, .elements = 64});
  std::vector<ov::Block<std::int32_t, 2>> held;
  for (std::int64_t i = 0; i < 3; ++i) held.push_back(u.block({i * u.block_shape()[0], 0}));
  EXPECT_THAT([&] { u[69][49] = 1; }, ThrowsMessage<ov::usage_error>(HasSubstr("all 3 buffers")));
  held.clear();
  u[69][49] = 1;
  EXPECT_EQ(u[69][49], 1);
}

TEST_P(Buffered, BA1_FewAndSmallBuffersDo) {
  make();
  std::vector<std::int32_t> model(rows);
  for (const std::int64_t buffers : {1, 2, 3}) {
    Grid u = open({.mode = "r+", .buffers = buffers, .elements = 1});
    for (std::size_t i = 1; i < rows - 1; ++i) {
      const auto at = static_cast<std::int64_t>(i);
      u[at][20] = u[at - 1][20] + u[at + 1][20] + 1;
      model[i] = model[i - 1] + model[i + 1] + 1;
    }
    EXPECT_EQ(u.counters().buffers, buffers);
  }
  Grid u = open();
  for (std::size_t i = 0; i < rows; ++i) EXPECT_EQ(u[static_cast<std::int64_t>(i)][20], model[i]);
}

TEST_P(Buffered, BlocksOfABoxAreItsPartsAndOverwrittenOnesAreNotRead) {
  make();
  Grid u = open();
  const ov::Box inner{{10, 5}, {60, 45}};
  u.overwrite_blocks(inner, [&](const ov::Block<std::int32_t, 2>& block) {
    EXPECT_TRUE(inner.contains(block.box()));
    for (const auto row : block.rows()) std::ranges::fill(row, 9);
  });
  EXPECT_EQ(u.counters().read, 0);
  u.writeback();
  EXPECT_EQ(u.counters().bytes_written, inner.count() * 4);
  std::int64_t sum = 0;
  std::as_const(u).for_each_block([&](const ov::Block<const std::int32_t, 2>& block) {
    for (std::int64_t i = block.box().lo[0]; i < block.box().hi[0]; ++i)
      for (const auto x : block.row({i, 0})) sum += x;
  });
  EXPECT_EQ(sum, inner.count() * 9);
}

TEST_P(Buffered, AtChecksItsIndex) {
  make();
  Grid u = open();
  u.at(69, 49) = 3;
  EXPECT_EQ(std::as_const(u).at(69, 49), 3);
  EXPECT_THAT([&] { u.at(70, 0) = 1; }, ThrowsMessage<ov::usage_error>(HasSubstr("(70 x 0)")));
  EXPECT_THROW(static_cast<void>(std::as_const(u).at(0, -1)), ov::usage_error);
}

}  // namespace
