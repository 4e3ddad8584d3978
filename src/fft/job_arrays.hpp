// SPDX-License-Identifier: Apache-2.0
// The ends of a job that are arrays of processes (J-5): what the planner is told of them, and where the transform processes are placed.
//
//   JobArrays arrays(options);              // those that are named by "ov://..." are opened
//   auto mine = arrays.use();               // the Runtime that they live in is this thread's
//   start(arrays.beside(i)).make<Transform>(plan);
//
// Threading: one thread. Failure: usage_error for a target that does not suit the result, what opening throws.
#pragma once

#include <memory>

#include "fft/scratch/scratch_file.hpp"
#include "octavo/fft/job.hpp"
#include "octavo/process/runtime.hpp"

namespace octavo::fft {

class JobArrays {
 public:
  // Named arrays take the place of the paths in `options`. Where no Runtime is in force they get one, for as long as this lives.
  explicit JobArrays(JobOptions& options);

  [[nodiscard]] bool any() const noexcept { return from_ || to_; }
  // Null: the arrays live in the Runtime that is in force.
  [[nodiscard]] std::unique_ptr<Runtime::Use> use() const;
  // The source as if it were stored.
  [[nodiscard]] static Storage facts_of(const Array& array, const std::string& name);
  [[nodiscard]] static FftEnd end_of(const Array& array);
  [[nodiscard]] static int shared_devices(const Array& one, const Array& other);
  // A path as a process beside a device finds it: that may have another directory.
  [[nodiscard]] std::string path_there(const std::string& path) const;
  // Where process number `number` is placed: at the devices in turn.
  [[nodiscard]] Place beside(std::size_t number) const;
  // What the target must be to take the result, and the pools of its devices to take the plan's boxes; that there is room for a scratch file. Of an array
  // and a path, neither may be the other; of two arrays over one device, each page has the place of one of the same number.
  void check(const FftPlan& plan, const JobOptions& options);
  // Of a plan with a scratch file, where the target is an Array and was checked: what it is to be, and where its device is made.
  [[nodiscard]] ScratchWish scratch(const FftPlan& plan, const JobOptions& options) const;
  [[nodiscard]] Place of_scratch() const;

 private:
  void check_target(const FftPlan& plan, const std::string& name) const;
  void check_places(const JobOptions& options) const;
  std::unique_ptr<Runtime> runtime_;
  std::optional<Array> from_, to_;
  std::vector<std::string> beside_scratch_;  // files of the target's devices that are where its first one is
};

}  // namespace octavo::fft
