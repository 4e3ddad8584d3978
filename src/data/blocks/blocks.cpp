// SPDX-License-Identifier: Apache-2.0
#include "octavo/data/blocks/blocks.hpp"

#include "data/blocks/block_plan.hpp"
#include "data/blocks/run_blocks.hpp"
#include "data/format/table/format.hpp"
#include "octavo/base/error.hpp"
#include "octavo/stream/settings.hpp"

namespace octavo {

namespace {

// Of an array that is made as the first input is cut, if nothing else is said.
Shape chunk_of_new(const detail::BlockRequest& request, const NewArrayOptions& options, const detail::InputArray& first) {
  if (options.chunk.size() > 0) return options.chunk;
  if (request.chunks.size() > 0) return request.chunks;
  return first.chunk().size() > 0 ? first.chunk() : first.array().page();
}

// What is written whole.
Shape unit_of_new(const std::string& path, const NewArrayOptions& options, const Shape& chunk) {
  if (Format::of(format_of_ending(path)).is_one_block()) return {};
  return options.stored.shard.size() > 0 ? options.stored.shard : chunk;
}

}  // namespace

Blocks Blocks::halo(const HaloWidths& widths, const BeyondEdge& beyond) const {
  Blocks same = *this;
  same.request_.halo = widths;
  same.request_.beyond = beyond;
  return same;
}

Blocks Blocks::chunks(const Shape& chunks) const {
  Blocks same = *this;
  same.request_.chunks = chunks;
  return same;
}

Blocks Blocks::workers(std::size_t workers) const {
  Blocks same = *this;
  same.request_.workers = stream::checked_workers(workers);
  return same;
}

Blocks Blocks::memory(std::int64_t bytes) const {
  if (bytes < 1) throw usage_error("blocks in a memory of " + std::to_string(bytes) + " bytes", "Name some");
  Blocks same = *this;
  same.request_.memory = bytes;
  return same;
}

void MappedBlocks::into(const Array& array) const {
  const auto inputs = detail::opened(request_.inputs);
  detail::check_inputs(request_, kinds_, inputs);
  detail::check_target(request_, kinds_, inputs, array);
  detail::run_blocks(detail::plan_of(request_, kinds_, inputs, &array, {}), inputs, array, function_);
  array.flush();
}

void MappedBlocks::into(const std::string& path, const NewArrayOptions& options) const {
  const auto inputs = detail::opened(request_.inputs);
  detail::check_inputs(request_, kinds_, inputs);
  const Shape chunk = chunk_of_new(request_, options, inputs[0]);
  const auto plan = detail::plan_of(request_, kinds_, inputs, nullptr, unit_of_new(path, options, chunk));
  detail::NewBlockTarget target(path, plan.shape, chunk, kinds_.gives->type, options);
  detail::run_blocks(plan, inputs, target.array(), function_);
  target.finish();
}

}  // namespace octavo
