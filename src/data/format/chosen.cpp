// SPDX-License-Identifier: Apache-2.0
// What is chosen for a new array of which only path, shape and type are known.
#include <algorithm>
#include <bit>
#include <numeric>
#include <vector>

#include "data/format/table/format.hpp"
#include "data/text/text_file.hpp"
#include "octavo/base/error.hpp"
#include "octavo/data/storage.hpp"

namespace octavo {

namespace {

std::int64_t count_of(const std::vector<int>& axes, const Shape& extents) {
  return std::accumulate(axes.begin(), axes.end(), std::int64_t{1}, [&](std::int64_t product, int axis) { return product * extents[axis]; });
}

// Whether so many elements fit, and no product overflows on the way.
bool fits(const Shape& chunk, std::int64_t budget) {
  for (auto extent : chunk) {
    if (extent > budget) return false;
    budget /= extent;
  }
  return true;
}

std::int64_t parts_of(std::int64_t extent, std::int64_t part) { return extent / part + (extent % part != 0 ? 1 : 0); }

}  // namespace

storage_format format_of_ending(const std::string& path) {
  const auto ending = ending_of(path);
  for (const Format* each : Format::all())
    for (const auto& known : each->endings())
      if (ending == known) return each->id();
  throw not_supported("the format of '" + path + "' is not known by its ending",
                      "End it in .zarr, .npy, .raw or .octavo; from Python and the octavo command also in .h5");
}

Shape default_chunk(const Shape& shape, std::int64_t element_bytes, std::int64_t most_bytes) {
  const std::int64_t budget = std::max<std::int64_t>(1, most_bytes / element_bytes);
  Shape chunk = shape;
  for (int axis = 0; axis < shape.size(); ++axis) chunk[axis] = std::max<std::int64_t>(1, shape[axis]);
  if (fits(chunk, budget)) return chunk;
  std::vector<int> whole, longer(static_cast<std::size_t>(shape.size()));
  std::iota(longer.begin(), longer.end(), 0);
  std::stable_sort(longer.begin(), longer.end(), [&](int a, int b) { return chunk[a] < chunk[b]; });
  std::int64_t side = 1;
  while (!longer.empty()) {  // the shortest axes are not cut
    const auto left = static_cast<std::uint64_t>(budget / count_of(whole, chunk));
    side = std::int64_t{1} << (static_cast<std::size_t>(std::bit_width(left) - 1) / longer.size());
    if (chunk[longer.front()] > side) break;
    whole.push_back(longer.front());
    longer.erase(longer.begin());
  }
  for (int axis : longer) chunk[axis] = side;
  std::sort(longer.begin(), longer.end(), std::greater<>());
  for (int axis : longer)
    if (chunk.count() * 2 <= budget) chunk[axis] = std::min(2 * side, shape[axis]);
  for (int axis : longer) {
    const auto parts = parts_of(shape[axis], chunk[axis]);
    if (parts * chunk[axis] - shape[axis] > shape[axis] / 8) chunk[axis] = parts_of(shape[axis], parts);
  }
  return chunk;
}

}  // namespace octavo
