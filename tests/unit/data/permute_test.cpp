// SPDX-License-Identifier: Apache-2.0
// copy_strided against a loop over all elements, on random layouts; the orders of axes.
#include "data/permute.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "octavo/base/error.hpp"

namespace octavo {
namespace {

std::int64_t upto(std::mt19937& random, std::int64_t most) { return static_cast<std::int64_t>(random()) % (most + 1); }

Shape random_order(std::mt19937& random, int dims) {
  std::vector<std::int64_t> axes(static_cast<std::size_t>(dims));
  std::iota(axes.begin(), axes.end(), 0);
  std::shuffle(axes.begin(), axes.end(), random);
  return Shape(axes);
}

// Memory in which `extents` elements lie with axes in a random order, gaps between them, and some axes backwards.
struct Layout {
  std::vector<std::byte> memory;
  Shape strides;
  std::int64_t first = 0;

  Layout(std::mt19937& random, const Shape& extents, std::int64_t size, bool may_repeat) : strides(extents) {
    std::int64_t step = size + (upto(random, 2) == 0 ? upto(random, 5) : 0);
    for (auto axis : random_order(random, extents.size())) {
      int i = static_cast<int>(axis);
      bool repeats = may_repeat && upto(random, 9) == 0;
      strides[i] = repeats ? 0 : step;
      step = repeats ? step : step * (extents[i] + (upto(random, 2) == 0 ? upto(random, 2) : 0));
      if (upto(random, 2) == 0) {
        first += (extents[i] - 1) * strides[i];
        strides[i] = -strides[i];
      }
    }
    memory.resize(static_cast<std::size_t>(step + size));
    for (auto& each : memory) each = static_cast<std::byte>(random());
  }
  [[nodiscard]] std::int64_t at(const Shape& index) const {
    std::int64_t offset = first;
    for (int i = 0; i < index.size(); ++i) offset += index[i] * strides[i];
    return offset;
  }
};

void compare(std::mt19937& random, const Shape& extents, std::int64_t size) {
  Layout from(random, extents, size, true), to(random, extents, size, false);
  auto expected = to.memory;
  for_each_index(extents,
                 [&](const Shape& index) { std::memcpy(expected.data() + to.at(index), from.memory.data() + from.at(index), static_cast<std::size_t>(size)); });
  copy_strided(to.memory.data() + to.first, to.strides, from.memory.data() + from.first, from.strides, extents, size);
  ASSERT_EQ(to.memory, expected) << extents.text() << " of " << size << " bytes, strides (" << from.strides.text() << ") to (" << to.strides.text() << ")";
}

TEST(CopyStrided, IsTheLoopOverAllElements) {
  std::mt19937 random(3);
  for (int round = 0; round < 1500; ++round) {
    Shape extents;
    for (std::int64_t i = 0, dims = upto(random, 5); i < dims; ++i) extents.push_back(1 + upto(random, 5));
    std::int64_t sizes[] = {1, 2, 4, 8, 16, 3, 24, 100};
    ASSERT_NO_FATAL_FAILURE(compare(random, extents, sizes[upto(random, 7)]));
  }
}

TEST(CopyStrided, WhereTilesDoNotDivideTheAxes) {
  std::mt19937 random(4);
  for (std::int64_t size : {1, 2, 4, 8, 16, 12})
    for (int round = 0; round < 8; ++round) ASSERT_NO_FATAL_FAILURE(compare(random, {1 + upto(random, 2), 1 + upto(random, 140), 1 + upto(random, 140)}, size));
  ASSERT_NO_FATAL_FAILURE(compare(random, {2, 2, 2, 3, 2, 2, 2, 2}, 8));
  ASSERT_NO_FATAL_FAILURE(compare(random, {2, 2, 2, 3, 2, 2, 2, 2}, 80)) << "8 axes, and an element that is one itself";
}

TEST(CopyStrided, CopiesNothingOfNothing) {
  std::byte to{1}, from{2};
  copy_strided(&to, {8, 1}, &from, {8, 1}, {3, 0}, 1);
  EXPECT_EQ(to, std::byte{1});
}

TEST(Order, InPlaceIsTheSameAsACopy) {
  std::mt19937 random(5);
  for (int round = 0; round < 300; ++round) {
    Shape shape;
    for (std::int64_t i = 0, dims = 1 + upto(random, 4); i < dims; ++i) shape.push_back(1 + upto(random, 6));
    Shape order = random_order(random, shape.size());
    std::vector<std::int32_t> values(static_cast<std::size_t>(shape.count())), expected;
    std::iota(values.begin(), values.end(), 0);
    Shape turned = permuted(shape, order);
    for_each_index(turned, [&](const Shape& index) { expected.push_back(static_cast<std::int32_t>(flatten(permuted(index, inverse(order)), shape))); });
    permute_in_place(reinterpret_cast<std::byte*>(values.data()), shape, order, 4);
    ASSERT_EQ(values, expected) << shape.text() << " in the order " << order.text();
    EXPECT_EQ(permuted(turned, inverse(order)), shape);
  }
}

TEST(Order, WhatIsNoneIsAnError) {
  for (const Shape& order : {Shape{0}, Shape{0, 0}, Shape{0, 2}, Shape{-1, 0}, Shape{0, 1, 2}})
    EXPECT_THROW(check_order(order, 2), usage_error) << order.text();
  EXPECT_NO_THROW(check_order({1, 0}, 2));
  EXPECT_NO_THROW(check_order({}, 2)) << "as stored";
}

}  // namespace
}  // namespace octavo
