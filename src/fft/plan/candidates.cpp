// SPDX-License-Identifier: Apache-2.0
#include "fft/plan/candidates.hpp"

#include <algorithm>

namespace octavo::fft {

namespace {

constexpr std::size_t most_partitions = 24;

// Set partitions into `passes` groups, by handing each axis to a group already begun or to the next.
void part(const std::vector<int>& axes, std::size_t at, int passes, AxisGroups& groups, std::vector<AxisGroups>& out) {
  if (groups.size() + (axes.size() - at) < static_cast<std::size_t>(passes)) return;
  if (at == axes.size()) {
    out.push_back(groups);
    return;
  }
  for (std::size_t i = 0; i < groups.size(); ++i) {
    groups[i].push_back(axes[at]);
    part(axes, at + 1, passes, groups, out);
    groups[i].pop_back();
  }
  if (groups.size() == static_cast<std::size_t>(passes)) return;
  groups.push_back({axes[at]});
  part(axes, at + 1, passes, groups, out);
  groups.pop_back();
}

double largest_extent(const Shape& shape, const AxisGroups& groups) {
  double largest = 0;
  for (const auto& group : groups) {
    double extent = 1;
    for (int axis : group) extent *= static_cast<double>(shape[axis]);
    largest = std::max(largest, extent);
  }
  return largest;
}

// The largest divisor of `chunk` up to `most` where there is one above most / 2: parts of a chunk should not straddle it.
std::int64_t good_part(std::int64_t chunk, std::int64_t most) {
  for (std::int64_t d = most; 2 * d > most; --d)
    if (chunk % d == 0) return d;
  return most;
}

// The extents an axis of n grows through, guided by chunks of `chunk`.
std::vector<std::int64_t> steps_of(std::int64_t n, std::int64_t chunk) {
  chunk = std::min(chunk, n);
  std::vector<std::int64_t> steps;
  for (std::int64_t e = chunk; e > 1; e = chunk < n ? good_part(chunk, e / 2) : (e + 1) / 2) {
    steps.push_back(e);
    if (e == 2) break;
  }
  steps.push_back(1);
  std::reverse(steps.begin(), steps.end());
  // Whole chunks, so many that the grid comes out even.
  std::int64_t grid = (n + chunk - 1) / chunk;
  for (std::int64_t pieces = grid; pieces > 1;) {
    pieces = (pieces + 1) / 2;
    steps.push_back(std::min(n, chunk * ((grid + pieces - 1) / pieces)));
  }
  return steps;
}

}  // namespace

std::vector<AxisGroups> orders_of(const Shape& shape, const std::vector<int>& axes, int passes) {
  std::vector<AxisGroups> partitions, orders;
  AxisGroups groups;
  part(axes, 0, passes, groups, partitions);
  std::stable_sort(partitions.begin(), partitions.end(), [&](auto& a, auto& b) { return largest_extent(shape, a) < largest_extent(shape, b); });
  if (partitions.size() > most_partitions) partitions.resize(most_partitions);
  auto trailing_first = [](const std::vector<int>& a, const std::vector<int>& b) { return a.back() > b.back(); };
  for (auto& partition : partitions) {
    std::sort(partition.begin(), partition.end(), trailing_first);
    if (passes > 3) {
      orders.push_back(partition);
      continue;
    }
    do orders.push_back(partition);
    while (std::next_permutation(partition.begin(), partition.end(), trailing_first));
  }
  return orders;
}

std::vector<Shape> boxes_for(const Shape& shape, const std::vector<int>& group, const std::vector<Shape>& guides) {
  std::vector<Shape> boxes;
  for (const auto& guide : guides) {
    Shape box = Shape::filled(shape.size(), 1);
    for (int axis : group) box[axis] = shape[axis];
    boxes.push_back(box);
    auto grow = [&](bool within_chunk) {
      for (int axis = shape.size() - 1; axis >= 0; --axis)
        for (auto step : steps_of(shape[axis], guide[axis]))
          if (step > box[axis] && (step <= std::min(guide[axis], shape[axis])) == within_chunk) {
            box[axis] = step;
            boxes.push_back(box);
          }
    };
    grow(true);
    grow(false);
  }
  std::sort(boxes.begin(), boxes.end(), [](const Shape& a, const Shape& b) {
    auto x = a.count(), y = b.count();
    return x != y ? x < y : std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  });
  boxes.erase(std::unique(boxes.begin(), boxes.end()), boxes.end());
  return boxes;
}

}  // namespace octavo::fft
