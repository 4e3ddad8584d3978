// SPDX-License-Identifier: Apache-2.0
#include "machine/engine/slurm/srun.hpp"

#include <algorithm>

#include "machine/engine/slurm/allocation.hpp"
#include "machine/engine/slurm/node_list.hpp"
#include "octavo/base/error.hpp"

namespace octavo::engine::slurm {

std::vector<std::string> Srun::command(const std::vector<std::string>& machines) const {
  const std::string count = std::to_string(machines.size());
  std::string nodes;
  for (const auto& each : machines) nodes += (nodes.empty() ? "" : ",") + each;
  std::vector<std::string> words{"srun", "--nodes=" + count, "--ntasks=" + count, "--ntasks-per-node=1", "--nodelist=" + nodes};
  // Beside the job's other steps, with all CPUs and memory of its nodes; what ends one agent ends no other.
  for (const char* each : {"--overlap", "--cpu-bind=none", "--mem=0", "--mpi=none", "--no-kill", "--kill-on-bad-exit=0", "--wait=0", "--label"})
    words.emplace_back(each);
  words.insert(words.end(), options_.args.begin(), options_.args.end());
  for (const std::string& each : {std::string("env"), agent_told("call SLURMD_NODENAME"), agent_program(options_.program)}) words.push_back(each);
  return words;
}

spawn::Command Srun::launch(const std::vector<std::string>& machines) { return spawn::run_command(command(machines), is_of_tasks); }

// " 3: text"; srun pads the number of the task.
Labelled Srun::labelled(std::string_view line) const {
  const auto begin = std::min(line.find_first_not_of(' '), line.size());
  const auto end = std::min(line.find_first_not_of("0123456789", begin), line.size());
  if (begin == end || line.substr(end, 2) != ": ") {
    const bool is_empty_line = begin != end && line.substr(end, 1) == ":";  // "3:\n"
    return is_empty_line ? Labelled{line.substr(begin, end - begin), line.substr(end + 1)} : Labelled{{}, line};
  }
  return {line.substr(begin, end - begin), line.substr(end + 2)};
}

// "srun: error: n[2-3]: tasks 1-2: Killed", "srun: error: Node failure on n2". What an agent writes has a label before it.
std::vector<std::string> Srun::ended(std::string_view line) const {
  constexpr std::string_view head = "srun: error: ", failure = "Node failure on ", task = ": task";
  if (!line.starts_with(head)) return {};
  line.remove_prefix(head.size());
  const auto at = line.find(task);
  if (line.starts_with(failure)) line.remove_prefix(failure.size());
  else if (at != std::string_view::npos) line = line.substr(0, at);
  else return {};
  try {
    return nodes_of(line);
  } catch (const usage_error&) {  // another sentence of srun's
    return {};
  }
}

}  // namespace octavo::engine::slurm
