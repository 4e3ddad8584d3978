// SPDX-License-Identifier: Apache-2.0
// Which member has which element, and what goes from one part to another, against indices one by one.
#include "distributed/strips.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>

#include "octavo/base/error.hpp"

namespace octavo::detail {
namespace {

// The element that a member's memory has at each place: its number in the array; -1 in the halo.
std::vector<std::int64_t> numbers_of(const Geometry& part, const Shape& shape) {
  std::vector<std::int64_t> all(static_cast<std::size_t>(part.wide.count()), -1);
  if (part.empty()) return all;
  const Shape strides = dense_strides(part.wide), global = dense_strides(shape);
  for_each_index(part.wide, [&](const Shape& at) {
    std::int64_t number = 0, place = 0;
    for (int axis = 0; axis < shape.size(); ++axis) {
      place += at[axis] * strides[axis];
      const auto& runs = part.own[static_cast<std::size_t>(axis)];
      const auto run = std::find_if(runs.begin(), runs.end(), [&](const Run& each) { return each.local <= at[axis] && at[axis] < each.local + each.length; });
      if (run == runs.end()) return;
      number += (run->global + at[axis] - run->local) * global[axis];
    }
    all[static_cast<std::size_t>(place)] = number;
  });
  return all;
}

class RandomSplits : public testing::Test {
 protected:
  std::mt19937 random{39};
  std::int64_t draw(std::int64_t lo, std::int64_t hi) { return std::uniform_int_distribution<std::int64_t>(lo, hi)(random); }
  Shape shape_of(int dims) {
    Shape shape;
    for (int axis = 0; axis < dims; ++axis) shape.push_back(draw(0, 9));
    return shape;
  }
  Split split_of(int dims, bool cyclic) {
    Shape grid, halo, blocks;
    for (int axis = 0; axis < dims; ++axis) {
      grid.push_back(draw(1, 3));
      halo.push_back(draw(0, 2));
      blocks.push_back(draw(0, 2));
    }
    return cyclic ? Split::block_cyclic(grid, blocks) : Split::block(grid).halo(halo);
  }
};

TEST_F(RandomSplits, DA1_EachElementIsAtOneMember) {
  for (int round = 0; round < 500; ++round) {
    const int dims = static_cast<int>(draw(1, 3));
    const Shape shape = shape_of(dims);
    const Split split = split_of(dims, round % 2 == 0);
    std::map<std::int64_t, int> found;
    for (std::uint32_t member = 0; member < split.grid().count(); ++member)
      for (auto number : numbers_of(geometry_of(shape, split, member), shape))
        if (number >= 0) ++found[number];
    ASSERT_EQ(static_cast<std::int64_t>(found.size()), shape.count()) << shape.text() << " over " << split.text();
    for (const auto& [number, times] : found) ASSERT_EQ(times, 1) << number << " of " << shape.text() << " over " << split.text();
  }
}

TEST_F(RandomSplits, DA5_WhatGoesBetweenTwoPartsIsWhatBothHave) {
  for (int round = 0; round < 500; ++round) {
    const int dims = static_cast<int>(draw(1, 3));
    const Shape shape = shape_of(dims);
    const Split first = split_of(dims, draw(0, 1) != 0), second = split_of(dims, draw(0, 1) != 0);
    for (std::uint32_t target = 0; target < second.grid().count(); ++target) {
      const auto to = geometry_of(shape, second, target);
      std::vector<std::int64_t> came(static_cast<std::size_t>(to.wide.count()), -1);
      for (std::uint32_t source = 0; source < first.grid().count(); ++source) {
        const auto from = geometry_of(shape, first, source);
        auto numbers = numbers_of(from, shape);
        const auto strips = common_to(from, to);
        std::vector<std::byte> packed(static_cast<std::size_t>(count_of(strips)) * 8);
        Walk out(strips, &Overlap::from, reinterpret_cast<std::byte*>(numbers.data()), from.wide, 8);
        Walk in(strips, &Overlap::to, reinterpret_cast<std::byte*>(came.data()), to.wide, 8);
        pack(out, packed);
        EXPECT_TRUE(out.next(INT64_MAX).empty());
        unpack(packed, in);
        EXPECT_TRUE(in.next(INT64_MAX).empty());
      }
      ASSERT_EQ(came, numbers_of(to, shape)) << shape.text() << " from " << first.text() << " to " << second.text();
    }
  }
}

TEST(Splits, DA1_WhatMakesNoSenseIsRefused) {
  EXPECT_THROW(Split::block({0, 2}), usage_error);
  EXPECT_THROW((void)Split::block({2, 2}).halo({1}), usage_error);
  EXPECT_THROW((void)Split::block({2, 2}).halo({1, -1}), usage_error);
  EXPECT_THROW((void)Split::cyclic({2, 1}).halo({1, 0}), usage_error);
  EXPECT_THROW((void)Split::block({2}).members({0, 0}), usage_error);
  EXPECT_THROW((void)Split::block({2}).members({0}), usage_error);
  EXPECT_THROW(Split::block({2}).check({4}, 3), usage_error);
  EXPECT_THROW(Split::block({2}).members({0, 3}).check({4}, 3), usage_error);
  EXPECT_THROW(Split::block({2}).check({4, 4}, 2), usage_error);
  EXPECT_NO_THROW(Split::block({2}).members({2, 0}).check({4}, 3));
  EXPECT_THROW(check_boundary({2}, {3}, boundary::periodic), usage_error);
  EXPECT_NO_THROW(check_boundary({2}, {3}, boundary::nearest));
}

TEST(Splits, DA1_TheFirstMembersHaveOneMore) {
  const auto split = Split::block({3}).halo({1});
  EXPECT_EQ(geometry_of({8}, split, 0).own[0], (Runs{{0, 1, 3}}));
  EXPECT_EQ(geometry_of({8}, split, 2).own[0], (Runs{{6, 1, 2}}));
  EXPECT_EQ(geometry_of({5}, Split::block_cyclic({2}, {2}), 0).own[0], (Runs{{0, 0, 2}, {4, 2, 1}}));
}

}  // namespace
}  // namespace octavo::detail
