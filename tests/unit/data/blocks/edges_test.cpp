// SPDX-License-Identifier: Apache-2.0
// What a halo shows: every place of it, whatever lies before and behind, against the definition of each boundary.
#include "data/blocks/edges.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace octavo::detail {
namespace {

// Where nothing is shown: -2.
std::int64_t shown_at(std::int64_t index, std::int64_t extent, boundary how) {
  if (0 <= index && index < extent) return index;
  switch (how) {
    case boundary::nearest: return index < 0 ? 0 : extent - 1;
    case boundary::reflect: return index < 0 ? -index - 1 : 2 * extent - index - 1;
    case boundary::periodic: return ((index % extent) + extent) % extent;
    case boundary::value: return beyond_edge;
    case boundary::none: break;
  }
  return -2;
}

TEST(Edges, EachPlaceShowsWhatStandsThere) {
  constexpr std::int64_t extent = 5, places = 9;
  for (const auto how : {boundary::nearest, boundary::reflect, boundary::periodic, boundary::value, boundary::none}) {
    for (std::int64_t first = -extent; first + places <= 2 * extent; ++first) {
      Runs runs;
      show(runs, first, 0, places, extent, how);
      std::vector<std::int64_t> found(places, -2), expected(places);
      for (const auto& each : runs)
        for (std::int64_t i = 0; i < each.length; ++i)
          found.at(static_cast<std::size_t>(each.local + i)) = each.global == beyond_edge ? beyond_edge : each.global + i;
      for (std::int64_t i = 0; i < places; ++i) expected[static_cast<std::size_t>(i)] = shown_at(first + i, extent, how);
      EXPECT_EQ(found, expected) << "boundary " << static_cast<int>(how) << ", first " << first;
    }
  }
}

}  // namespace
}  // namespace octavo::detail
