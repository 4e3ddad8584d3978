// SPDX-License-Identifier: Apache-2.0
#include "data/blocks/run_blocks.hpp"

#include <cstring>
#include <memory>
#include <optional>

#include "data/permute.hpp"
#include "octavo/stream/pipeline.hpp"

namespace octavo::detail {

namespace {

// `box` in memory that has `wide`.
BlockMemory block_in(std::byte* data, dtype type, const Box& box, const Box& wide) {
  BlockMemory memory{nullptr, dense_strides(wide.extents()), box, wide.shifted(box.lo, -1)};
  std::int64_t first = 0;
  for (int axis = 0; axis < box.dims(); ++axis) first += (box.lo[axis] - wide.lo[axis]) * memory.strides[axis];
  memory.first = data + first * size_of(type);
  return memory;
}

struct BlockRun {
  const BlockPlan& plan;
  const std::vector<InputArray>& inputs;
  const Array& target;
  const std::function<void(const BlockMemory*)>& function;
};

// A worker's memory is its own, and not of the pool: whatever room the pool has, workers hold none of it while they wait for more.
class BlockWorker {
 public:
  explicit BlockWorker(const BlockRun* run) : run_(*run), function_(run->function) {}

  void svc_init() {
    const auto make = [](std::int64_t bytes) { return std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes)); };
    for (std::size_t input = 0; input < run_.inputs.size(); ++input) read_.push_back(make(run_.plan.read_bytes(input)));
    given_ = make(run_.plan.given_bytes());
    blocks_.resize(read_.size() + 1);
  }
  void svc(Box box) {
    for (std::size_t input = 0; input < read_.size(); ++input)
      blocks_[input] = read_block(run_.plan, input, run_.inputs[input].array(), box, read_[input].get());
    std::memset(given_.get(), 0, static_cast<std::size_t>(box.count() * size_of(*run_.plan.gives)));
    blocks_.back() = block_in(given_.get(), *run_.plan.gives, box, box);
    function_(blocks_.data());
    const Shape strides = dense_byte_strides(box.extents(), size_of(*run_.plan.gives));
    run_.target.write_from(Selection::of(box), given_.get(), strides, *run_.plan.gives, run_.plan.window());
  }

 private:
  const BlockRun& run_;
  std::function<void(const BlockMemory*)> function_;  // a copy
  std::vector<std::unique_ptr<std::byte[]>> read_;
  std::unique_ptr<std::byte[]> given_;
  std::vector<BlockMemory> blocks_;
};

}  // namespace

BlockMemory read_block(const BlockPlan& plan, std::size_t input, const Array& from, const Box& box, std::byte* to) {
  const Box wide = with_halo(box, plan.halo, plan.shape, plan.edges[input].how);
  read_surrounded(from, wide, plan.edges[input], plan.types[input], to, plan.window());
  return block_in(to, plan.types[input], box, wide);
}

void run_blocks(const BlockPlan& plan, const std::vector<InputArray>& inputs, const Array& target, const std::function<void(const BlockMemory*)>& function) {
  const BlockRun run{plan, inputs, target, function};
  const auto next = [&, number = std::int64_t{0}]() mutable -> std::optional<Box> {
    if (number == plan.blocks()) return {};
    return plan.box(number++);
  };
  pipeline(next, farm<BlockWorker>(&run).workers(plan.workers).unordered().bound({.items = plan.workers}).named("blocks")).run();
}

}  // namespace octavo::detail
