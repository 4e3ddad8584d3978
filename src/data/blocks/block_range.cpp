// SPDX-License-Identifier: Apache-2.0
#include "octavo/data/blocks/block_range.hpp"

#include "data/blocks/block_plan.hpp"
#include "data/blocks/run_blocks.hpp"
#include "octavo/base/error.hpp"

namespace octavo::detail {

namespace {

BlockRequest of_one(BlockRequest request) {
  if (request.inputs.size() > 1)
    throw usage_error("a loop over the blocks of " + std::to_string(request.inputs.size()) + " arrays", "Name one, or give a function of all with map()");
  request.workers = 1;
  return request;
}

}  // namespace

struct BlockReading::Parts {
  std::vector<InputArray> inputs;
  BlockPlan plan;
  std::int64_t number = 0;
};

BlockReading::BlockReading(const BlockRequest& given, BlockKind kind) : parts_(std::make_unique<Parts>()) {
  const auto request = of_one(given);
  const BlockKinds kinds{{kind}, {}};
  parts_->inputs = opened(request.inputs);
  check_inputs(request, kinds, parts_->inputs);
  parts_->plan = plan_of(request, kinds, parts_->inputs, nullptr, {});
}

BlockReading::~BlockReading() = default;

std::shared_ptr<const void> BlockReading::next(BlockMemory& block) {
  const auto& plan = parts_->plan;
  if (parts_->number == plan.blocks()) return nullptr;
  const std::shared_ptr<std::byte[]> memory(new std::byte[static_cast<std::size_t>(plan.read_bytes(0))]);
  block = read_block(plan, 0, parts_->inputs[0].array(), plan.box(parts_->number++), memory.get());
  return memory;
}

}  // namespace octavo::detail
