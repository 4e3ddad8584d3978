// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/slurm/allocation.hpp"

#include <algorithm>
#include <array>

#include "machine/engine/slurm/node_list.hpp"
#include "octavo/base/error.hpp"

namespace octavo::engine::slurm {

namespace {

std::string text_of(const Variable& variable, const char* name) {
  const char* value = variable(name);
  return value == nullptr ? "" : value;
}

void check_runs_once(const Variable& variable) {
  const std::string tasks = text_of(variable, "SLURM_STEP_NUM_TASKS");
  if (tasks.empty() || tasks == "1" || text_of(variable, "SLURM_STEP_ID").empty()) return;
  throw usage_error("this program runs " + tasks + " times, as the tasks of a step of Slurm, and each would start agents on all nodes",
                    "Start it once, without srun: as a line of the batch script, or in salloc");
}

}  // namespace

std::vector<std::string> Allocation::others() const {
  std::vector<std::string> rest;
  std::ranges::copy_if(nodes, std::back_inserter(rest), [this](const auto& each) { return each != here; });
  return rest;
}

Allocation allocation(const Variable& variable) {
  Allocation found{.job = text_of(variable, "SLURM_JOB_ID"), .nodes = {}, .here = {}};
  const std::string list = text_of(variable, "SLURM_JOB_NODELIST");
  if (found.job.empty() || list.empty())
    throw usage_error("this is no job of Slurm: there is no SLURM_JOB_ID, or no SLURM_JOB_NODELIST", "Run the program in sbatch, or in salloc");
  check_runs_once(variable);
  found.nodes = nodes_of(list);
  const std::string here = text_of(variable, "SLURMD_NODENAME");
  if (std::ranges::find(found.nodes, here) != found.nodes.end()) found.here = here;
  return found;
}

bool is_of_tasks(std::string_view variable) {
  static constexpr std::array exact{"SLURM_NPROCS", "SLURM_TASKS_PER_NODE", "SLURM_CPUS_PER_TASK", "SLURM_DISTRIBUTION", "SLURM_EXACT"};
  static constexpr std::array heads{"SLURM_NTASKS", "SLURM_MEM_PER_", "SLURM_CPU_BIND"};
  return std::ranges::find(exact, variable) != exact.end() || std::ranges::any_of(heads, [&](const char* head) { return variable.starts_with(head); });
}

}  // namespace octavo::engine::slurm
