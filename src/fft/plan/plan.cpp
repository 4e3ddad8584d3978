// SPDX-License-Identifier: Apache-2.0
#include "octavo/fft/plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "fft/plan/geometry.hpp"
#include "fft/plan/search.hpp"
#include "fft/tile_transform.hpp"
#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"

namespace octavo::fft {

namespace {

constexpr std::int64_t largest_array = std::int64_t{1} << 48;  // so that no product of the search leaves 63 bits
constexpr std::int64_t most_memory = std::int64_t{1} << 54;

std::vector<int> normalised_axes(const std::optional<std::vector<int>>& given, int dims) {
  std::vector<int> axes(static_cast<std::size_t>(dims));
  std::iota(axes.begin(), axes.end(), 0);
  if (given) axes = *given;
  for (int& axis : axes) {
    if (axis < -dims || axis >= dims)
      throw usage_error("axis " + std::to_string(axis) + " does not exist in an array of " + std::to_string(dims) + " dimensions",
                        "Axes go from " + std::to_string(-dims) + " to " + std::to_string(dims - 1));
    if (axis < 0) axis += dims;
  }
  std::sort(axes.begin(), axes.end());
  auto twice = std::adjacent_find(axes.begin(), axes.end());
  if (twice != axes.end()) throw usage_error("axis " + std::to_string(*twice) + " is named twice", "Name each axis once");
  return axes;
}

void check_chunk(const std::string& what, const Shape& chunk, const Shape& shape) {
  if (chunk.size() != shape.size())
    throw usage_error("the " + what + " chunk " + chunk.text() + " has " + std::to_string(chunk.size()) + " dimensions, the array " + shape.text() + " has " +
                      std::to_string(shape.size()));
  for (auto extent : chunk)
    if (extent < 1) throw usage_error("the " + what + " chunk " + chunk.text() + " has an extent below 1");
}

Problem checked(const FftRequest& given, const Kernel& kernel) {
  Problem problem{given, {}, given.copy ? given.type : transformed(given.type), &kernel};
  FftRequest& request = problem.request;
  const Shape& shape = request.shape;
  const char* verb = request.copy ? "copy" : "transform";
  if (shape.size() == 0)
    throw usage_error(std::string("an array without dimensions, one element: there is no axis to ") + verb,
                      "Read it and write it as any array (in Python: a[()])");
  for (auto extent : shape)
    if (extent < 1) throw usage_error("an array of " + shape.text() + " has no elements to " + verb, "Make an array of that shape where one is needed");
  if (shape.count() > largest_array / problem.out_size()) throw usage_error("an array of " + shape.text() + " is larger than 256 TiB");
  if (!request.copy) problem.axes = normalised_axes(request.axes, shape.size());
  if (request.cores < 1) throw usage_error("a transform needs at least 1 core, not " + std::to_string(request.cores));
  if (request.source_flat || request.source_chunk.size() == 0) request.source_chunk = shape;
  check_chunk("source's", request.source_chunk, shape);
  request.source_chunk = least_of(request.source_chunk, shape);
  if (request.target_flat) request.target_chunk.reset();
  if (request.target_chunk) {
    check_chunk("target's", *request.target_chunk, shape);
    request.target_chunk = least_of(*request.target_chunk, shape);
  }
  return problem;
}

std::int64_t least_for(const Problem& problem) {
  std::int64_t below = 0, enough = MiB;
  while (!fits(problem, enough)) {
    if (enough >= most_memory)
      throw refused("no memory would do for " + problem.request.shape.text() + " by whole chunks of " + problem.request.source_chunk.text() +
                        ": they have more tiles than a pool has blocks",
                    "Give the target larger chunks, or allow a scratch file");
    below = enough, enough *= 2;
  }
  while (enough - below > allocation_step) {
    std::int64_t middle = round_down((below + enough) / 2, allocation_step);
    (fits(problem, middle) ? enough : below) = middle;
  }
  return enough;
}

// Before the search, which would only say that nothing fits.
void check_units(const Problem& problem) {
  auto check = [&](const FftEnd& end, const Shape& chunk, std::int64_t element, const std::string& what) {
    std::int64_t bytes = chunk.count() * element;
    if (!end.whole_chunks || bytes + end.unit_bytes <= problem.request.memory) return;
    const std::int64_t least = least_for(problem);
    throw refused("a chunk of the " + what + ", " + chunk.text() + ", has " + format_bytes(bytes) + " and takes " + format_bytes(bytes + end.unit_bytes) +
                      " to move, more than the memory of " + format_bytes(problem.request.memory) + " (" + std::to_string(problem.request.memory) + " bytes)",
                  "Give it smaller chunks, or " + least_text(least), least);
  };
  check(problem.request.source, problem.request.source_chunk, problem.in_size(), "source");
  if (problem.request.target_chunk) check(problem.request.target, *problem.request.target_chunk, problem.out_size(), "target");
}

// A line along a transformed axis is not cut: where the longest takes most of the memory, that is what to know.
std::string longest_line(const Problem& problem) {
  std::int64_t most = problem.request.memory / 2;
  std::string text;
  for (int axis : problem.axes) {
    std::int64_t n = problem.request.shape[axis], line = n * problem.out_size(), work = least_work_bytes(*problem.kernel, problem.out_type, n);
    if (n == 1 || line + work <= most) continue;
    most = line + work;
    text = ": a line along axis " + std::to_string(axis) + " lies in memory whole, which takes " + format_bytes(line) + ", and " + format_bytes(work) +
           " to transform it in";
  }
  return text;
}

double scale_of(const Problem& problem, const std::vector<int>& axes) {
  const auto& request = problem.request;
  double points = 1;
  for (int axis : axes) points *= static_cast<double>(request.shape[axis]);
  if (request.norm == norm_kind::ortho) return 1 / std::sqrt(points);
  return (request.norm == norm_kind::forward) == request.inverse ? 1 : 1 / points;
}

FftPass pass_of(const Problem& problem, const Choice& choice, std::size_t i) {
  const auto& layout = choice.layout.passes[i];
  store_kind between = choice.via == via_kind::scratch ? store_kind::scratch : store_kind::target;
  std::int64_t count = problem.request.shape.count();
  bool first = i == 0, last = i + 1 == choice.groups.size();
  return {.axes = choice.groups[i],
          .box = choice.layout.boxes[i],
          .read_page = least_of(layout.read_page, problem.request.shape),
          .write_page = least_of(layout.write_page, problem.request.shape),
          .reads = first ? store_kind::source : between,
          .writes = last ? store_kind::target : between,
          .regroup = layout.regroup,
          .boxes = grid_of(problem.request.shape, choice.layout.boxes[i]).count(),
          .box_memory = layout.box_memory,
          .bytes_read = count * (first ? problem.in_size() : problem.out_size()),
          .bytes_written = count * problem.out_size(),
          .read_run = layout.read_run,
          .write_run = layout.write_run,
          .scale = scale_of(problem, choice.groups[i]),
          .work = work_of(problem, choice.groups[i], problem.request.memory, choice.setting.tight)};
}

// No more in flight than there are boxes; the pool as large as that needs and an eighth, so that tiles of several sizes find their place.
void settle_memory(const Problem& problem, const Choice& choice, FftPlan& plan) {
  std::int64_t most_boxes = 0, box_memory = 0;
  for (const auto& pass : plan.passes) most_boxes = std::max(most_boxes, pass.boxes), box_memory = std::max(box_memory, pass.box_memory);
  Setting setting = choice.setting;
  setting.transforms = static_cast<int>(std::min<std::int64_t>(setting.transforms, most_boxes));
  setting.depth = static_cast<int>(std::min<std::int64_t>(setting.depth, (most_boxes + setting.transforms - 1) / setting.transforms));
  plan.transforms = setting.transforms, plan.depth = setting.depth;
  plan.memory = split_memory(problem, choice.groups, setting, choice.via, problem.request.memory).value();
  std::int64_t need = setting.transforms * setting.depth * box_memory;
  plan.memory.pool = std::min(plan.memory.pool, round_up(need + need / 8, allocation_step));
  const FftMemory& memory = plan.memory;
  plan.memory.total = memory.pool + plan.devices * memory.staging + plan.transforms * memory.work + memory.rings + memory.stores;
}

FftPlan plan_of(const Problem& problem, const Choice& choice) {
  const auto& request = problem.request;
  FftPlan plan{
      .shape = request.shape, .type = request.type, .out_type = problem.out_type, .axes = problem.axes, .inverse = request.inverse, .norm = request.norm};
  for (std::size_t i = 0; i < choice.groups.size(); ++i) plan.passes.push_back(pass_of(problem, choice, i));
  plan.copy = request.copy;
  plan.source_devices = request.source.devices;
  plan.target_devices = request.target.devices;
  plan.others_devices = plan.source_devices + plan.target_devices - made_devices(request.source) - made_devices(request.target) - request.target.shared;
  plan.target_chunk = choice.layout.target_chunk;
  plan.devices = staged_devices(problem, choice.via);
  if (choice.via == via_kind::scratch) {
    plan.uses_scratch = true;
    plan.scratch_chunk = choice.layout.between;
    plan.scratch_bytes = grid_of(plan.shape, plan.scratch_chunk).count() * round_up(plan.scratch_chunk.count() * problem.out_size(), allocation_step);
  }
  settle_memory(problem, choice, plan);
  return plan;
}

}  // namespace

FftPlan plan_fft(const FftRequest& request, const Kernel& kernel) {
  Problem problem = checked(request, kernel);
  check_units(problem);
  for (std::int64_t memory = request.memory; memory > 0; memory = with_smaller_blocks(memory)) {
    problem.request.memory = memory;
    if (auto choice = search(problem)) return plan_of(problem, *choice);
  }
  std::int64_t least = least_for(problem);
  throw refused((request.copy ? "a copy of " : "a transform of ") + request.shape.text() + " " + std::string(name_of(request.type)) + " does not fit into " +
                    format_bytes(request.memory) + " (" + std::to_string(request.memory) + " bytes) of memory" + longest_line(problem),
                "Give it " + least_text(least), least);
}

std::string least_text(std::int64_t least) {
  return "at least " + format_bytes(round_up(least, MiB)) + "; the least that would do is " + std::to_string(least) + " bytes";
}

std::int64_t least_memory(const FftRequest& request, const Kernel& kernel) { return least_for(checked(request, kernel)); }

std::vector<Box> tiles_of(const Box& box, const Shape& page) {
  std::vector<Box> tiles;
  tiles.reserve(static_cast<std::size_t>(count_tiles(box, page)));
  for_each_tile(box, page, [&](const Shape&, const Box& tile) { tiles.push_back(tile); });
  return tiles;
}

Box FftPlan::box_of(const FftPass& pass, std::int64_t index) const {
  if (index < 0 || index >= pass.boxes) throw usage_error("there is no box " + std::to_string(index) + " of " + std::to_string(pass.boxes));
  Shape at = unflatten(index, grid_of(shape, pass.box));
  Box box{at, at};
  for (int i = 0; i < shape.size(); ++i) box.lo[i] = at[i] * pass.box[i], box.hi[i] = std::min(shape[i], box.lo[i] + pass.box[i]);
  return box;
}

}  // namespace octavo::fft
