// SPDX-License-Identifier: Apache-2.0
// How blocks are cut, and what they take: known before anything is read.
//
//   const BlockPlan plan = plan_of(request, kinds, inputs, &w);          // into an array that is there
//   plan.block;  plan.workers;  plan.worker_bytes();
//
// Threading: pure. Failure: usage_error for what does not fit, refused where the memory is too small.
#pragma once

#include <optional>
#include <vector>

#include "data/blocks/block_arrays.hpp"
#include "data/blocks/surrounded.hpp"

namespace octavo::detail {

struct BlockPlan {
  Shape shape, block, halo;
  std::vector<ShownBeyond> edges;  // of each input
  std::vector<dtype> types;        // as which they are read
  std::optional<dtype> gives;      // what is written
  std::size_t workers = 1;

  [[nodiscard]] Shape wide() const;                                // the largest block with its halo
  [[nodiscard]] std::int64_t read_bytes(std::size_t input) const;  // that a worker has of it
  [[nodiscard]] std::int64_t given_bytes() const;
  // Its blocks, and one more for what is on the way.
  [[nodiscard]] std::int64_t worker_bytes() const;
  [[nodiscard]] std::int64_t window() const;
  [[nodiscard]] std::int64_t blocks() const { return grid_of(shape, block).count(); }
  [[nodiscard]] Box box(std::int64_t number) const;

 private:
  [[nodiscard]] std::int64_t largest_bytes() const;
};

// Throws usage_error.
void check_inputs(const BlockRequest& request, const BlockKinds& kinds, const std::vector<InputArray>& inputs);
void check_target(const BlockRequest& request, const BlockKinds& kinds, const std::vector<InputArray>& inputs, const Array& target);
// `unit`: the blocks that are chosen are multiples of it; none: of anything. `target`: is there; null: it is yet to be made.
BlockPlan plan_of(const BlockRequest& request, const BlockKinds& kinds, const std::vector<InputArray>& inputs, const Array* target, const Shape& unit);

}  // namespace octavo::detail
