// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "machine/board/find.hpp"

namespace octavo {

// A road between two machines that are played on one host is on both their boards.
std::vector<RoadStatus> all_roads() {
  std::vector<RoadStatus> all;
  auto is_known = [&](const RoadStatus& road) {
    return std::any_of(all.begin(), all.end(), [&](const auto& each) {
      return (each.first == road.first && each.second == road.second) || (each.first == road.second && each.second == road.first);
    });
  };
  board::for_each([&](const board::Found& found) {
    for (const auto& row : found.board.roads) {
      auto road = board::read_road(row, found.head.agent.address);
      if (road && !is_known(*road)) all.push_back(*road);
    }
  });
  return all;
}

}  // namespace octavo
