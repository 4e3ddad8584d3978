// SPDX-License-Identifier: Apache-2.0
// The job that this program runs in, as Slurm's variables say, of sbatch and of salloc.
//
//   const auto job = allocation([](const char* name) { return std::getenv(name); });
//   job.nodes, job.here;               // {"n1", "n2", "n3"}, "n1"
//
// Threading: pure functions. Failure: usage_error outside an allocation, and for a program that runs as several tasks of a step.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace octavo::engine::slurm {

struct Allocation {
  std::string job;
  std::vector<std::string> nodes;
  std::string here;  // the one that this program runs on; empty: a login node
  [[nodiscard]] std::vector<std::string> others() const;
};

using Variable = std::function<const char*(const char* name)>;
Allocation allocation(const Variable& variable);

// What the allocation's options have left for steps, which srun would take for the agents' step.
bool is_of_tasks(std::string_view variable);

}  // namespace octavo::engine::slurm
