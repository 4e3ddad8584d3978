// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "octavo/base/error.hpp"
#include "octavo/data/selection.hpp"

namespace {

using octavo::select;
using octavo::Slice;

constexpr std::int64_t many = INT64_MAX;

TEST(Select, AsPythonWritesIt) {
  EXPECT_EQ(select({8, 9}, {}).text(), "[0:8:1, 0:9:1]");
  EXPECT_EQ(select({8, 9}, {Slice::all, 3}).text(), select({8, 9}, {{0, 8}, {3, 4}}).text());
  EXPECT_EQ(select({8, 9}, {-1}).lo[0], 7);
  EXPECT_EQ(select({8}, {{-3, Slice::end}}).count[0], 3);
  EXPECT_EQ(select({8}, {{1, 8, 3}}).count[0], 3);
  EXPECT_EQ(select({8}, {{1, Slice::end, 7}}).count[0], 1);
  EXPECT_EQ(select({8}, {{0, -1}}).count[0], 7);
}

TEST(Select, SlicesAreCutToTheArrayIndicesAreNot) {
  EXPECT_EQ(select({8}, {{-100, 100}}).count[0], 8);
  EXPECT_EQ(select({8}, {{5, 2}}).count[0], 0);
  EXPECT_EQ(select({0}, {Slice::all}).count[0], 0);
  EXPECT_EQ(select({8}, {{0, many, many}}).count[0], 1);
  EXPECT_EQ(select({8}, {{-many, many, 2}}).count[0], 4);
  EXPECT_THROW(select({8}, {8}), octavo::usage_error);
  EXPECT_THROW(select({8}, {-9}), octavo::usage_error);
  EXPECT_THROW(select({8}, {many}), octavo::usage_error);
  EXPECT_THROW(select({8}, {{0, 8, 0}}), octavo::usage_error);
  EXPECT_THROW(select({8}, {Slice::all, Slice::all}), octavo::usage_error);
}

}  // namespace
