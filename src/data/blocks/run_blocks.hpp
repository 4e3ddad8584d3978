// SPDX-License-Identifier: Apache-2.0
// The workers that read blocks, call the function and write what it gives: a farm whose items are boxes.
// Contract: BL-1, BL-3. Threading: returns when all of them have ended. Failure: that of the first block that fails, as it is.
#pragma once

#include <functional>
#include <vector>

#include "data/blocks/block_plan.hpp"

namespace octavo::detail {

// Of one input, into memory for plan.read_bytes() of it.
BlockMemory read_block(const BlockPlan& plan, std::size_t input, const Array& from, const Box& box, std::byte* to);
void run_blocks(const BlockPlan& plan, const std::vector<InputArray>& inputs, const Array& target, const std::function<void(const BlockMemory*)>& function);

}  // namespace octavo::detail
