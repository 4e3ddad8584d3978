// SPDX-License-Identifier: Apache-2.0
// How a number of bytes is shared between the pool, the devices' staging, the transforms' work and the rings.
#pragma once

#include <optional>

#include "fft/plan/candidates.hpp"
#include "octavo/fft/plan.hpp"

namespace octavo::fft {

// A request after plan.cpp has checked and completed it.
struct Problem {
  FftRequest request;
  std::vector<int> axes;  // unique, ascending; none of a copy, and of a transform over no axes, which is planned as one
  dtype out_type;
  const Kernel* kernel;
  [[nodiscard]] std::int64_t in_size() const { return size_of(request.type); }
  [[nodiscard]] std::int64_t out_size() const { return size_of(out_type); }
};

// How many boxes are under way, and whether everything else is cut to the least.
struct Setting {
  int transforms, depth;
  bool tight;
};
// Best first; `factor` is by how much each is expected to be slower than the first.
std::vector<Setting> settings(int cores);
double factor_of(const Setting& setting);

// The AxisTransform budgets of the axes of one pass.
std::vector<std::int64_t> work_of(const Problem& problem, const std::vector<int>& group, std::int64_t memory, bool tight);
// Where the passes but the last write: the target, rewritten in place, or a scratch file.
enum class via_kind : std::uint8_t { target, scratch };

// The devices that have staging buffers: all but those of other libraries.
int made_devices(const FftEnd& end);
int staged_devices(const Problem& problem, via_kind via);
// All but the pool decided; memory.pool is what is left. None where nothing is left.
std::optional<FftMemory> split_memory(const Problem& problem, const AxisGroups& groups, const Setting& setting, via_kind via, std::int64_t memory);

}  // namespace octavo::fft
