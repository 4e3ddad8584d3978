// SPDX-License-Identifier: Apache-2.0
// for_each_tile and PageMap against what they say of themselves.
#include "octavo/data/box.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <vector>

#include "octavo/base/error.hpp"
#include "octavo/data/page_map.hpp"

namespace octavo {
namespace {

std::int64_t upto(std::mt19937& random, std::int64_t most) { return static_cast<std::int64_t>(random()) % (most + 1); }

Box random_box(std::mt19937& random, int dims, std::int64_t largest) {
  Box box;
  for (int i = 0; i < dims; ++i) {
    box.lo.push_back(upto(random, largest));
    box.hi.push_back(box.lo[i] + 1 + upto(random, largest));
  }
  return box;
}

TEST(Tiles, CoverABoxOnceInCOrderEachWithinItsPage) {
  std::mt19937 random(1);
  for (int round = 0; round < 500; ++round) {
    int dims = 1 + static_cast<int>(upto(random, 3));
    Box box = random_box(random, dims, 9);
    Shape page;
    for (int i = 0; i < dims; ++i) page.push_back(1 + upto(random, 6));
    std::vector<int> seen(static_cast<std::size_t>(box.count()), 0);
    std::int64_t tiles = 0;
    Shape before;
    for_each_tile(box, page, [&](const Shape& index, const Box& tile) {
      ASSERT_TRUE(before.size() == 0 || std::lexicographical_compare(before.begin(), before.end(), index.begin(), index.end())) << "C order";
      before = index;
      ++tiles;
      Box whole;
      for (int i = 0; i < dims; ++i) whole.lo.push_back(index[i] * page[i]), whole.hi.push_back((index[i] + 1) * page[i]);
      ASSERT_EQ(tile, box.intersect(whole)) << box.text() << " in pages of " << page.text();
      for_each_index(tile.extents(), [&](const Shape& at) {
        Box place = tile.shifted(at).shifted(box.lo, -1);
        ++seen[static_cast<std::size_t>(flatten(place.lo, box.extents()))];
      });
    });
    EXPECT_EQ(tiles, count_tiles(box, page));
    EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), box.count());
  }
}

TEST(Tiles, NoneOfAnEmptyBoxAndOneOfAPageWithoutEnd) {
  int visits = 0;
  auto count = [&](const Shape&, const Box&) { ++visits; };
  for_each_tile(Box{{2, 3}, {2, 9}}, {4, 4}, count);
  EXPECT_EQ(visits, 0);
  EXPECT_EQ(count_tiles(Box{{2, 3}, {2, 9}}, {4, 4}), 0);
  for_each_tile(Box{{5, 7}, {6, 90}}, Shape::filled(2, INT64_MAX), [&](const Shape& index, const Box& tile) {
    EXPECT_EQ(index, (Shape{0, 0}));
    EXPECT_EQ(tile, (Box{{5, 7}, {6, 90}}));
    ++visits;
  });
  EXPECT_EQ(visits, 1);
}

// No two pages share a place, and all indices are below pages_per_device().
void expect_own_places(const PageMap& map) {
  std::set<std::pair<std::int64_t, std::int64_t>> taken;
  for_each_index(map.grid(), [&](const Shape& page) {
    auto [device, index] = map.place_of(page);
    ASSERT_GE(device, 0);
    ASSERT_LT(device, map.devices());
    ASSERT_GE(index, 0);
    ASSERT_LT(index, map.pages_per_device());
    ASSERT_TRUE(taken.emplace(device, index).second) << "(" << page.text() << ") of " << map.grid().text() << " on " << map.devices();
  });
}

TEST(PageMap, EachPageHasAPlaceOfItsOwn) {
  std::mt19937 random(2);
  for (std::int64_t devices = 1; devices <= 24; ++devices)
    for (int round = 0; round < 8; ++round) {
      Shape grid;
      for (std::int64_t i = 0, dims = 1 + upto(random, 3); i < dims; ++i) grid.push_back(1 + upto(random, 8));
      expect_own_places(PageMap::circulant(grid, devices));
      expect_own_places(PageMap::block_cyclic(grid, devices, 1 + upto(random, 12)));
    }
}

TEST(PageMap, CirculantSpreadsNeighboursAndBlockCyclicKeepsThemTogether) {
  auto circulant = PageMap::circulant({5, 4, 7}, 3);
  EXPECT_EQ(circulant.place_of({2, 3, 4}).device, (2 + 3 + 4) % 3);
  auto blocks = PageMap::block_cyclic({2, 10}, 3, 4);
  for (std::int64_t number = 0; number < 20; ++number) {
    auto place = blocks.place_of(unflatten(number, blocks.grid()));
    EXPECT_EQ(place.device, number / 4 % 3);
    EXPECT_EQ(place.index, number / 12 * 4 + number % 4) << "pages of a block are next to each other";
  }
  auto one = PageMap::block_cyclic({3, 5}, 1, 4);
  for (std::int64_t number = 0; number < 15; ++number) EXPECT_EQ(one.place_of(unflatten(number, {3, 5})), (PagePlace{0, number})) << "C order, as in a file";
}

TEST(PageMap, TheExtremesOfBlockCyclic) {
  const auto blocks = PageMap::in_blocks({2, 5}, 3), robin = PageMap::round_robin({2, 5}, 3);
  for (std::int64_t number = 0; number < 10; ++number) {
    EXPECT_EQ(blocks.place_of(unflatten(number, {2, 5})), (PagePlace{number / 4, number % 4}));
    EXPECT_EQ(robin.place_of(unflatten(number, {2, 5})), (PagePlace{number % 3, number / 3}));
  }
  expect_own_places(PageMap::in_blocks({3}, 5));
}

TEST(PageMap, OnesOwnIsAskedOnceForEachPage) {
  int asked = 0;
  const auto map = PageMap::computed({3, 4}, 2, [&](const Shape& page) {
    ++asked;
    return PagePlace{page[1] % 2, 10 * page[0] + page[1]};
  });
  EXPECT_EQ(asked, 12);
  EXPECT_EQ(map.place_of({2, 3}), (PagePlace{1, 23}));
  EXPECT_EQ(map.pages_per_device(), 24);
  expect_own_places(map);
  EXPECT_EQ(map.kind(), map_kind::table);
  std::vector<PagePlace> places{{1, 0}, {0, 0}, {1, 7}};
  EXPECT_EQ(PageMap::table({3}, 2, places).place_of({2}), (PagePlace{1, 7}));
  EXPECT_THROW(PageMap::table({4}, 2, places), usage_error) << "a place for each page";
  EXPECT_THROW(PageMap::table({3}, 1, places), usage_error) << "there is no device 1";
  EXPECT_THROW(PageMap::computed({2}, 1, [](const Shape&) { return PagePlace{0, 3}; }), usage_error) << "two pages at one place";
  EXPECT_THROW(PageMap::computed({1}, 1, [](const Shape&) { return PagePlace{0, -1}; }), usage_error);
  EXPECT_THROW(PageMap(map_kind::table, {2}, 1), usage_error) << "which?";
}

TEST(PageMap, WhatCannotBeIsAnError) {
  EXPECT_THROW(PageMap::circulant({2}, 0), usage_error);
  EXPECT_THROW(PageMap::block_cyclic({2}, 1, 0), usage_error);
  EXPECT_THROW(PageMap::block_cyclic({2}, 3, INT64_MAX / 2), usage_error);
  EXPECT_THROW((void)PageMap::circulant({2, 2}, 2).place_of({0, 2}), usage_error);
  EXPECT_THROW((void)PageMap::circulant({2, 2}, 2).place_of({0}), usage_error);
  EXPECT_THROW((void)PageMap().place_of({}), usage_error);
  EXPECT_EQ(PageMap::block_cyclic({7}, 2, INT64_MAX / 2).place_of({6}).device, 0) << "a block larger than the grid";
}

}  // namespace
}  // namespace octavo
