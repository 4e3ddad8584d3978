// SPDX-License-Identifier: Apache-2.0
#include "data/blocks/block_plan.hpp"

#include <algorithm>

#include "data/blocks/edges.hpp"
#include "data/io/convert.hpp"
#include "octavo/base/error.hpp"
#include "octavo/machine/pool.hpp"
#include "octavo/stream/settings.hpp"

namespace octavo::detail {

namespace {

constexpr std::int64_t most_block_elements = std::int64_t{1} << 50;  // of a block: no sum of bytes overflows up to here

std::string text_of(dtype type) { return std::string(name_of(type)); }

Shape widths_of(const HaloWidths& halo, const Shape& shape) {
  const Shape widths = halo.each.size() == 0 ? Shape::filled(shape.size(), halo.all) : halo.each;
  if (widths.size() != shape.size() || std::any_of(widths.begin(), widths.end(), [](std::int64_t width) { return width < 0 || width > most_block_elements; }))
    throw usage_error("a halo of " + widths.text() + " around blocks of an array of " + shape.text(), "Give one number from 0 on, or one for each axis");
  return widths;
}

bool has_halo(const Shape& widths) {
  return std::any_of(widths.begin(), widths.end(), [](std::int64_t width) { return width > 0; });
}

// Whole pages of what is written, which are whole chunks; else of what is read.
Shape chosen_block(const Array& pages, const Shape& unit) {
  Shape block = pages.page();
  for (int axis = 0; axis < unit.size(); ++axis) block[axis] = round_up(block[axis], unit[axis]);
  return block;
}

void check_axes(const BlockKinds& kinds, const Shape& shape) {
  auto all = kinds.reads;
  if (kinds.gives) all.push_back(*kinds.gives);
  for (const auto& each : all)
    if (each.axes != 0 && each.axes != shape.size())
      throw usage_error("a function of blocks of " + std::to_string(each.axes) + " axes for an array of " + std::to_string(shape.size()) + ", " + shape.text(),
                        "Name their number, as HaloBlock<float, " + std::to_string(shape.size()) + ">, or none");
}

void choose_workers(BlockPlan& plan, std::size_t said, std::int64_t memory) {
  const auto cure = "Give more memory(), smaller chunks() or fewer workers()";
  if (plan.wide().count() > most_block_elements)
    throw refused("blocks of " + plan.block.text() + " with a halo of " + plan.halo.text() + " fit no memory", cure);
  const auto each = plan.worker_bytes();
  plan.workers =
      said != 0 ? said : static_cast<std::size_t>(std::min<std::int64_t>(plan.blocks(), static_cast<std::int64_t>(stream::workers_of({.workers = 0}))));
  if (said == 0 && each > 0) plan.workers = static_cast<std::size_t>(std::clamp<std::int64_t>(memory / each, 1, static_cast<std::int64_t>(plan.workers)));
  const auto workers = static_cast<std::int64_t>(plan.workers);
  if (each <= memory / workers) return;
  throw refused("blocks of " + plan.block.text() + " with a halo of " + plan.halo.text() + " need " + format_bytes(each * workers) + ", as each of " +
                    std::to_string(workers) + " workers has " + format_bytes(each) + ", and memory is " + format_bytes(memory),
                cure);
}

}  // namespace

Shape BlockPlan::wide() const {
  Shape wide = block;
  for (int axis = 0; axis < wide.size(); ++axis) wide[axis] = std::min(wide[axis], shape[axis]) + 2 * halo[axis];
  return wide;
}

std::int64_t BlockPlan::read_bytes(std::size_t input) const { return wide().count() * size_of(types[input]); }

std::int64_t BlockPlan::given_bytes() const {
  Shape extents = wide();
  for (int axis = 0; axis < extents.size(); ++axis) extents[axis] -= 2 * halo[axis];
  return gives ? extents.count() * size_of(*gives) : 0;
}

std::int64_t BlockPlan::largest_bytes() const {
  std::int64_t largest = given_bytes();
  for (std::size_t input = 0; input < types.size(); ++input) largest = std::max(largest, read_bytes(input));
  return largest;
}

std::int64_t BlockPlan::worker_bytes() const {
  std::int64_t all = given_bytes() + largest_bytes();
  for (std::size_t input = 0; input < types.size(); ++input) all += read_bytes(input);
  return all;
}

std::int64_t BlockPlan::window() const {
  // Together no more than half of the pool: what is on the way to one leaves room for that to the others, and for this program's own pages.
  const auto share = job_pool().bytes() / 2 / static_cast<std::int64_t>(workers);
  return std::max<std::int64_t>(1, std::min(largest_bytes(), share));
}

Box BlockPlan::box(std::int64_t number) const {
  Box box;
  box.lo = box.hi = unflatten(number, grid_of(shape, block));
  for (int axis = 0; axis < box.dims(); ++axis) {
    box.lo[axis] *= block[axis];
    box.hi[axis] = box.lo[axis] + std::min(block[axis], shape[axis] - box.lo[axis]);
  }
  return box;
}

void check_inputs(const BlockRequest& request, const BlockKinds& kinds, const std::vector<InputArray>& inputs) {
  if (kinds.reads.size() != inputs.size())
    throw usage_error("blocks of " + std::to_string(inputs.size()) + (inputs.size() == 1 ? " input" : " inputs") + " for a function that takes " +
                          std::to_string(kinds.reads.size()),
                      "Let it take a HaloBlock of each, and an OutBlock");
  const Shape& shape = inputs[0].array().shape();
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto& array = inputs[i].array();
    if (!(array.shape() == shape))
      throw usage_error("blocks of " + inputs[0].name() + " of " + shape.text() + " and " + inputs[i].name() + " of " + array.shape().text(),
                        "Give arrays of one shape");
    if (row_copy({array.type()}, {kinds.reads[i].type}) == nullptr)
      throw usage_error(
          "the function takes blocks of " + text_of(kinds.reads[i].type) + ", and " + inputs[i].name() + " has elements of " + text_of(array.type()),
          "Let it take the array's own type, or one that this converts to");
  }
  check_axes(kinds, shape);
  check_boundary(shape, widths_of(request.halo, shape), request.beyond.how);
}

void check_target(const BlockRequest& request, const BlockKinds& kinds, const std::vector<InputArray>& inputs, const Array& target) {
  const Shape& shape = inputs[0].array().shape();
  if (!(target.shape() == shape))
    throw usage_error("blocks of " + inputs[0].name() + " of " + shape.text() + " into " + name_of_array(target), "Give an array of the same shape");
  if (row_copy({kinds.gives->type}, {target.type()}) == nullptr)
    throw usage_error("the function gives blocks of " + text_of(kinds.gives->type) + ", and they go into " + name_of_array(target),
                      "Let it give the array's own type");
  if (!has_halo(widths_of(request.halo, shape))) return;
  for (const auto& each : inputs)
    if (is_one_array(target, each.array()))
      throw usage_error("blocks of " + each.name() + " with a halo into the array itself: one would be read after its neighbours were written",
                        "Give another array, or the path with .overwrite = true, where it is replaced when all is done");
}

BlockPlan plan_of(const BlockRequest& request, const BlockKinds& kinds, const std::vector<InputArray>& inputs, const Array* target, const Shape& unit) {
  BlockPlan plan;
  plan.shape = inputs[0].array().shape();
  plan.halo = widths_of(request.halo, plan.shape);
  for (const auto& each : kinds.reads) plan.types.push_back(each.type);
  if (kinds.gives) plan.gives = kinds.gives->type;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    plan.edges.push_back({request.beyond.how, {}});
    if (request.beyond.how == boundary::value && has_halo(plan.halo)) plan.edges.back().element = element_of(request.beyond.value, kinds.reads[i].type);
  }
  plan.block = request.chunks.size() > 0 ? request.chunks : chosen_block(target != nullptr ? *target : inputs[0].array(), unit);
  if (plan.block.size() != plan.shape.size() || std::any_of(plan.block.begin(), plan.block.end(), [](std::int64_t extent) { return extent < 1; }))
    throw usage_error("chunks of " + plan.block.text() + " of an array of " + plan.shape.text(), "Give a number from 1 on for each axis");
  choose_workers(plan, request.workers, request.memory);
  return plan;
}

}  // namespace octavo::detail
