// SPDX-License-Identifier: Apache-2.0
// Rows of elements in memory: each by itself, in C order, as any view.
#include "octavo/data/detail/rows.hpp"

#include <gmock/gmock.h>

#include <numeric>
#include <vector>

namespace octavo::detail {
namespace {

using ::testing::ElementsAre;

static_assert(std::ranges::random_access_range<Rows<int>> && std::ranges::sized_range<Rows<int>> && std::ranges::view<Rows<int>>);

std::vector<int> numbered(int count) {
  std::vector<int> made(static_cast<std::size_t>(count));
  std::iota(made.begin(), made.end(), 0);
  return made;
}

TEST(Rows, AreThoseOfAPartOfMemoryInCOrder) {
  auto memory = numbered(2 * 3 * 5);
  const Rows<int> rows(nullptr, memory.data() + 1, {2, 2, 3}, {15, 5, 1});
  std::vector<std::vector<int>> seen;
  for (const std::span<int> row : rows) seen.emplace_back(row.begin(), row.end());
  EXPECT_THAT(seen, ElementsAre(ElementsAre(1, 2, 3), ElementsAre(6, 7, 8), ElementsAre(16, 17, 18), ElementsAre(21, 22, 23)));
  for (const std::span<int> row : rows) std::ranges::fill(row, -1);
  EXPECT_EQ(std::ranges::count(memory, -1), 12);
  EXPECT_EQ(memory[4], 4) << "beside a row";
}

TEST(Rows, AreAViewThatOneGoesThroughEitherWay) {
  auto memory = numbered(12);
  const Rows<const int> rows(nullptr, memory.data(), {4, 3}, {3, 1});
  std::vector<int> firsts;
  for (const auto row : rows | std::views::reverse | std::views::drop(1)) firsts.push_back(row.front());
  EXPECT_THAT(firsts, ElementsAre(6, 3, 0));
  EXPECT_EQ(rows.size(), 4U);
  EXPECT_EQ(rows[2].back(), 8);
  EXPECT_EQ(rows.begin()[3].front(), 9);
  EXPECT_EQ(std::ranges::distance(rows.begin() + 1, rows.end()), 3);
}

TEST(Rows, OfOneElementWithoutAxesAreOneRow) {
  int element = 7;
  const Rows<int> rows(nullptr, &element, {}, {});
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_THAT(rows[0], ElementsAre(7));
}

TEST(Rows, OfNothingAreNone) {
  int element = 7;
  EXPECT_TRUE(Rows<int>(nullptr, &element, {3, 0}, {1, 1}).empty());
  EXPECT_TRUE(Rows<int>(nullptr, &element, {0, 3}, {3, 1}).empty());
}

TEST(Rows, HoldWhatTheyLieIn) {
  auto memory = std::make_shared<std::vector<int>>(numbered(4));
  const std::weak_ptr<std::vector<int>> watched = memory;
  int* first = memory->data();
  {
    const Rows<int> rows(std::move(memory), first, {2, 2}, {2, 1});
    EXPECT_FALSE(watched.expired());
    EXPECT_EQ(rows[1][1], 3);
  }
  EXPECT_TRUE(watched.expired());
}

}  // namespace
}  // namespace octavo::detail
