// SPDX-License-Identifier: Apache-2.0
#include "data/blocks/run_blocks.hpp"

#include <cstring>
#include <memory>
#include <optional>

#include "data/permute.hpp"
#include "octavo/base/error.hpp"
#include "octavo/stream/pipeline.hpp"

namespace octavo::detail {

namespace {

struct BlockRun {
  const BlockPlan& plan;
  const std::vector<BlockSource>& inputs;
  const Array& target;
  const std::function<void(const BlockMemory*)>& function;
};

// A worker's memory is its own, and not of the pool: whatever room the pool has, workers hold none of it while they wait for more.
class BlockWorker {
 public:
  explicit BlockWorker(const BlockRun* run) : run_(*run), function_(run->function) {}

  void svc_init() {
    for (std::size_t array = 0; array < run_.plan.types.size(); ++array)
      held_.push_back(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(run_.plan.bytes_of(array))));
    blocks_.resize(held_.size());
  }
  void svc(Box box) {
    for (std::size_t input = 0; input < run_.inputs.size(); ++input)
      in_context([&] { return "reading block " + box.text() + " of " + run_.inputs[input].name(); }, [&] { read(input, box); });
    clear(box);
    function_(blocks_.data());
    in_context([&] { return "writing block " + box.text(); }, [&] { write(box); });
  }

 private:
  void read(std::size_t input, const Box& box) {
    const auto& plan = run_.plan;
    const auto& array = run_.inputs[input].array();
    const Box wide = with_halo(box, plan.halo, plan.shape, plan.edges[input].how);
    read_surrounded(array, wide, plan.edges[input], plan.types[input], held_[input].get(), plan.window());
    blocks_[input] = memory_of(input, box, wide);
  }
  void clear(const Box& box) {
    std::memset(held_.back().get(), 0, static_cast<std::size_t>(box.count() * size_of(run_.plan.types.back())));
    blocks_.back() = memory_of(held_.size() - 1, box, box);
  }
  void write(const Box& box) {
    const dtype type = run_.plan.types.back();
    const Shape strides = dense_byte_strides(box.extents(), size_of(type));
    run_.target.write_from(Selection::of(box), held_.back().get(), strides, type, run_.plan.window());
  }
  [[nodiscard]] BlockMemory memory_of(std::size_t array, const Box& box, const Box& wide) const {
    BlockMemory memory{nullptr, dense_strides(wide.extents()), box, wide.shifted(box.lo, -1)};
    std::int64_t first = 0;
    for (int axis = 0; axis < box.dims(); ++axis) first += (box.lo[axis] - wide.lo[axis]) * memory.strides[axis];
    memory.first = held_[array].get() + first * size_of(run_.plan.types[array]);
    return memory;
  }

  const BlockRun& run_;
  std::function<void(const BlockMemory*)> function_;  // a copy
  std::vector<std::unique_ptr<std::byte[]>> held_;
  std::vector<BlockMemory> blocks_;
};

}  // namespace

void run_blocks(const BlockPlan& plan, const std::vector<BlockSource>& inputs, const Array& target, const std::function<void(const BlockMemory*)>& function) {
  const BlockRun run{plan, inputs, target, function};
  const Shape grid = grid_of(plan.shape, plan.block);
  auto next = [&, number = std::int64_t{0}]() mutable -> std::optional<Box> {
    if (number == grid.count()) return {};
    Box box;
    box.lo = box.hi = unflatten(number++, grid);
    for (int axis = 0; axis < grid.size(); ++axis) {
      box.lo[axis] *= plan.block[axis];
      box.hi[axis] = std::min(box.lo[axis] + plan.block[axis], plan.shape[axis]);
    }
    return box;
  };
  pipeline(next, farm<BlockWorker>(&run).workers(plan.workers).unordered().bound({.items = plan.workers}).named("blocks")).run();
}

}  // namespace octavo::detail
