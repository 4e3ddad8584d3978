// SPDX-License-Identifier: Apache-2.0
#include "fft/plan/budget.hpp"

#include <algorithm>
#include <numeric>

#include "fft/plan/geometry.hpp"
#include "fft/tile_transform.hpp"
#include "octavo/base/bytes.hpp"
#include "octavo/machine/pool.hpp"

namespace octavo::fft {

namespace {
constexpr std::int64_t ring_bytes = 64 * KiB, least_buffer = 16 * KiB, most_buffer = 1 * MiB;  // 8 of 1 MiB in flight are faster here than 32 MiB of any size
constexpr int most_transforms = 4, most_depth = 3;  // a transform in cache outruns the disks: more would only take memory from the boxes
}  // namespace

std::vector<Setting> settings(int cores) {
  std::vector<Setting> all;
  for (bool tight : {false, true})
    for (int transforms = std::clamp(cores, 1, most_transforms); transforms >= 1; --transforms)
      for (int depth = most_depth; depth >= 1; --depth) all.push_back({transforms, depth, tight});
  std::stable_sort(all.begin(), all.end(), [](auto& a, auto& b) { return a.tight != b.tight ? b.tight : factor_of(a) < factor_of(b); });
  return all;
}

// With three boxes one is read, one transformed, one written; with two something waits now and then; with one nothing overlaps.
double factor_of(const Setting& setting) {
  constexpr double by_depth[] = {1.6, 1.05, 1.0};
  constexpr double by_transforms[] = {1.6, 1.0, 0.995, 0.99};
  return by_depth[setting.depth - 1] * by_transforms[setting.transforms - 1];
}

std::vector<std::int64_t> work_of(const Problem& problem, const std::vector<int>& group, std::int64_t memory, bool tight) {
  std::vector<std::int64_t> work;
  for (int axis : group) {
    std::int64_t n = problem.request.shape[axis];
    std::int64_t least = least_work_bytes(*problem.kernel, problem.out_type, n), good = good_work_bytes(*problem.kernel, problem.out_type, n);
    work.push_back(tight ? least : std::min(good, std::max(least, n == 1 ? 0 : problem.kernel->plan_bytes(problem.out_type, n) + memory / 128)));
  }
  return work;
}

int made_devices(const FftEnd& end) { return end.made ? end.devices : 0; }

int staged_devices(const Problem& problem, via_kind via) {
  const auto& request = problem.request;
  return (request.source.whole_chunks ? 0 : made_devices(request.source)) + (request.target.whole_chunks ? 0 : made_devices(request.target)) +
         (via == via_kind::scratch ? 1 : 0);
}

std::optional<FftMemory> split_memory(const Problem& problem, const AxisGroups& groups, const Setting& setting, via_kind via, std::int64_t memory) {
  const auto& request = problem.request;
  int staged = staged_devices(problem, via), devices = request.source.devices + request.target.devices + (via == via_kind::scratch ? 1 : 0);
  int made = made_devices(request.source) + made_devices(request.target) + (via == via_kind::scratch ? 1 : 0);
  FftMemory result;
  std::int64_t buffer = memory / (128 * std::max(2, staged));
  result.staging_buffer = setting.tight ? least_buffer : round_down(std::clamp(buffer, least_buffer, most_buffer), allocation_step);
  result.stores = request.source.unit_bytes * request.source.devices + request.target.unit_bytes * request.target.devices;
  result.staging = staging_buffers * result.staging_buffer;
  for (const auto& group : groups) {
    auto work = work_of(problem, group, memory, setting.tight);
    result.work = std::max(result.work, std::accumulate(work.begin(), work.end(), std::int64_t{0}));
  }
  result.rings = ring_bytes * (made + setting.transforms + devices * setting.transforms) + pool_table_bytes(memory, devices + setting.transforms + 1);
  result.pool = memory - staged * result.staging - setting.transforms * result.work - result.rings - result.stores;
  result.pool = round_down(result.pool, allocation_step);
  if (result.pool < allocation_step) return std::nullopt;
  return result;
}

}  // namespace octavo::fft
