// SPDX-License-Identifier: Apache-2.0
// Which boxes are written back: exactly the elements that were written, whatever they are, and few boxes where they are boxes.
#include "data/buffered/blocks/written_elements.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

namespace {

using namespace octavo;
using detail::BlockGrid;
using detail::WrittenElements;

std::set<std::int64_t> elements_of(const std::vector<Box>& boxes, const Shape& shape) {
  std::set<std::int64_t> found;
  for (const auto& box : boxes)
    for_each_index(box.extents(), [&](Shape index) {
      for (int i = 0; i < index.size(); ++i) index[i] += box.lo[i];
      EXPECT_TRUE(found.insert(flatten(index, shape)).second) << index.text() << " is in two boxes";
    });
  return found;
}

TEST(WrittenElements, AreWrittenExactlyAndTheOthersAreTheRest) {
  std::mt19937 random(36);
  for (const auto& [shape, block] : std::vector<std::pair<Shape, Shape>>{{{1000}, {130}}, {{37, 50}, {7, 50}}, {{37, 50}, {7, 13}}, {{6, 7, 8}, {3, 4, 5}}}) {
    const BlockGrid grid(shape, block);
    for (std::int64_t number = 0; number < grid.blocks; ++number) {
      WrittenElements written;
      detail::WrittenMarks* marks = written.begin(grid, number);
      const Box box = grid.box_of(number);
      std::set<std::int64_t> wanted, others;
      const auto often = random() % 4;
      for_each_index(box.extents(), [&](Shape index) {
        std::int64_t place = 0;
        for (int i = 0; i < index.size(); ++i) {
          index[i] += box.lo[i];
          place += index[i] * grid.strides[i];
        }
        if (random() % 4 < often) {
          marks->add(place);  // as BlockTable does
          wanted.insert(flatten(index, shape));
        } else {
          others.insert(flatten(index, shape));
        }
      });
      EXPECT_EQ(written.count(), static_cast<std::int64_t>(wanted.size()));
      EXPECT_EQ(elements_of(written.parts(grid), shape), wanted) << shape.text() << ", block " << number;
      EXPECT_EQ(elements_of(written.unwritten_parts(grid), shape), others) << shape.text() << ", block " << number;
    }
  }
}

TEST(WrittenElements, ABoxIsOneBox) {
  const BlockGrid grid({100, 200}, {50, 70});
  WrittenElements written;
  written.begin(grid, 4);  // [50:100, 70:140]
  const Box part{{60, 80}, {90, 100}};
  written.add(grid, part);
  EXPECT_EQ(written.parts(grid), std::vector<Box>{part});
  EXPECT_FALSE(written.all(grid));
  written.add(grid, grid.box_of(4));
  EXPECT_EQ(written.parts(grid), std::vector<Box>{grid.box_of(4)});
  EXPECT_TRUE(written.all(grid));
  EXPECT_TRUE(written.unwritten_parts(grid).empty());
}

TEST(WrittenElements, StepsLeaveWhatLiesBetween) {
  const BlockGrid grid({100}, {100});
  WrittenElements written;
  written.begin(grid, 0);
  written.add(grid, Selection{{3}, {5}, {10}});
  EXPECT_EQ(elements_of(written.parts(grid), {100}), (std::set<std::int64_t>{3, 13, 23, 33, 43}));
}

TEST(BlockGrid, FindsEveryElementByItsReciprocals) {
  for (const auto& [shape, block] : std::vector<std::pair<Shape, Shape>>{{{1 << 14}, {1}}, {{1 << 14}, {999}}, {{300, 7, 11}, {100, 3, 11}}, {{5}, {64}}}) {
    const BlockGrid grid(shape, block);
    const detail::BlockTable table{nullptr, nullptr, grid.axes()};
    for_each_index(shape, [&](const Shape& index) {
      detail::Position at;
      Shape corner = index;
      for (int i = 0; i < index.size(); ++i) {
        at = table.along(i, index[i], at);
        corner[i] = index[i] / grid.block[i];
      }
      ASSERT_EQ(at.block, flatten(corner, grid.grid)) << index.text();
      ASSERT_LT(at.place - grid.place_of(at.block), grid.elements);
    });
  }
  const BlockGrid huge({std::int64_t{1} << 38}, {(1 << 20) + 7});
  const detail::BlockTable table{nullptr, nullptr, huge.axes()};
  for (std::int64_t i = huge.shape[0] - 1; i > 0; i /= 3)
    for (const std::int64_t near : {i, i / huge.block[0] * huge.block[0], i / huge.block[0] * huge.block[0] + huge.block[0] - 1})
      ASSERT_EQ(table.along(0, near, {}).block, near / huge.block[0]) << near;
}

TEST(BlockGrid, ABlockIsWholeRowsOrPartsOfAChunk) {
  EXPECT_EQ(detail::block_for({{1000, 1000}, {1000, 1000}, 4, 1 << 16}), (Shape{16, 1000}));
  EXPECT_EQ(detail::block_for({{4, 1 << 20}, {4, 1 << 20}, 4, 1 << 16}), (Shape{1, 1 << 14}));
  EXPECT_EQ(detail::block_for({{1000, 1000}, {100, 100}, 8, 40000}), (Shape{50, 100}));
  EXPECT_EQ(detail::block_for({{1000, 1000}, {10, 10}, 8, 4000}), (Shape{10, 40}));
  EXPECT_EQ(detail::block_for({{1000, 1000}, {100, 100}, 8, 4000, false}), (Shape{100, 100}));
}

}  // namespace
