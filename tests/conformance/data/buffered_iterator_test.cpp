// SPDX-License-Identifier: Apache-2.0
// Buffered arrays in the hands of the standard algorithms (BA-1), those that iterator.hpp lists.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "kit/watchdog.hpp"
#include "octavo/data/buffered/buffered_array.hpp"
#include "octavo/data/buffered/iterator.hpp"
#include "unit/data/scratch.hpp"

namespace {

namespace ov = octavo;
using Line = ov::BufferedArray<std::int32_t, 1>;
using Grid = ov::BufferedArray<double, 2>;
static_assert(std::random_access_iterator<decltype(std::declval<Line&>().begin())>);
static_assert(std::random_access_iterator<decltype(std::declval<const Line&>().begin())>);
static_assert(std::sortable<decltype(std::declval<Line&>().begin())>);
static_assert(std::ranges::random_access_range<Line> && std::ranges::random_access_range<const Grid>);

class BufferedIterator : public testing::Test {
 protected:
  BufferedIterator() {
    std::iota(model.begin(), model.end(), 0);
    std::shuffle(model.begin(), model.end(), std::mt19937(36));
    std::ranges::copy(model, u.begin());
  }
  [[nodiscard]] bool same() const { return std::ranges::equal(u, model); }
  ov::kit::Watchdog watchdog{60};
  const ov::BufferedOptions few{.buffers = 5, .elements = 64};
  Line u = Line::scratch({1000}, few);
  std::vector<std::int32_t> model = std::vector<std::int32_t>(1000);
};

TEST_F(BufferedIterator, BA1_NumericAlgorithmsSeeEveryElement) {
  EXPECT_EQ(std::accumulate(u.begin(), u.end(), 0), 999 * 1000 / 2);
  EXPECT_EQ(std::inner_product(u.begin(), u.end(), u.begin(), std::int64_t{0}), 999LL * 1000 * 1999 / 6);
  EXPECT_EQ(std::transform_reduce(u.begin(), u.end(), model.begin(), std::int64_t{0}), 999LL * 1000 * 1999 / 6);
  EXPECT_EQ(*std::min_element(u.begin(), u.end()), 0);
  EXPECT_EQ(std::count_if(u.begin(), u.end(), [](std::int32_t x) { return x % 3 == 0; }), 334);
  EXPECT_EQ(std::find(u.begin(), u.end(), 77) - u.begin(), std::ranges::find(model, 77) - model.begin());
}

TEST_F(BufferedIterator, BA1_AlgorithmsThatWriteDoWhatTheyDoToAVector) {
  std::ranges::for_each(u, [](auto&& element) { element = 2 * element; });
  std::ranges::for_each(model, [](auto& element) { element *= 2; });
  EXPECT_TRUE(same());
  std::ranges::reverse(u);
  std::ranges::reverse(model);
  EXPECT_TRUE(same());
  std::ranges::sort(u);
  std::ranges::sort(model);
  EXPECT_TRUE(same());
  EXPECT_EQ(std::lower_bound(u.begin(), u.end(), 500) - u.begin(), 250);
  std::sort(u.begin(), u.end(), std::greater<>());
  std::sort(model.begin(), model.end(), std::greater<>());
  EXPECT_TRUE(same());
  std::fill(u.begin() + 10, u.end() - 10, 5);
  std::fill(model.begin() + 10, model.end() - 10, 5);
  EXPECT_TRUE(same());
  std::iota(u.begin(), u.end(), 0);
  std::iota(model.begin(), model.end(), 0);
  EXPECT_TRUE(same());
}

TEST_F(BufferedIterator, BA1_SeveralAxesAreGoneThroughInCOrder) {
  Grid grid = Grid::scratch({30, 17}, {.buffers = 4, .elements = 40, .block = {4, 5}});
  std::iota(grid.begin(), grid.end(), 0.0);
  EXPECT_EQ(grid[12][3], 12 * 17 + 3);
  EXPECT_EQ(grid.begin()[12 * 17 + 3], 12 * 17 + 3);
  EXPECT_EQ(std::accumulate(std::as_const(grid).begin(), std::as_const(grid).end(), 0.0), 509.0 * 510 / 2);
}

}  // namespace
