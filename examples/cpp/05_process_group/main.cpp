// SPDX-License-Identifier: Apache-2.0
// Section 3.2 of the paper: an array of remote pointers is a group of processes. SetProcessGroup, started on all; barrier.
#include <iostream>

#include "process_group_member.hpp"

class ComputingProcess : public ProcessGroupMember {
 public:
  explicit ComputingProcess(ov::remote_ptr<double[]> block) : data(block) {}

  double compute() {
    data[ID()] = 1.0 + ID();
    barrier();
    return data[(ID() + 1) % NumberOfProcesses()];
  }
  int right() const { return ProcessGroup()[(ID() + 1) % NumberOfProcesses()]->ID(); }  // members call each other

 private:
  ov::remote_ptr<double[]> data;
};
OCTAVO_REMOTE(ComputingProcess, (ProcessGroupMember), compute, right)

int main(int argc, char** argv) {
  ov::Runtime runtime(argc, argv, {.engine = ov::played({"machine0", "machine1"})});
  const int N = 6;
  auto data = ov::process.make<double[]>(N);
  std::vector<ov::remote_ptr<ComputingProcess>> processes;
  for (int i = 0; i < N; i++) processes.push_back(runtime.machine("machine" + std::to_string(i % 2)).make<ComputingProcess>(data));

  // His text: an array of remote pointers, which is remote data too. One to ComputingProcess converts to one to its base.
  auto process_group = ov::process.make<ov::remote_ptr<ProcessGroupMember>[]>(N);
  for (int i = 0; i < N; i++) process_group[i] = processes[i];
  ov::group<ComputingProcess> group(processes);  // what has a barrier; the members know it from here on

  for (int id = 0; id < N; id++) (void)ov::start(process_group[id])->SetProcessGroup(id, N, process_group);
  group.barrier();  // the calls made before have returned, and what they threw is thrown here
  std::cout << "member 4 is " << process_group[4]->ID() << " of " << process_group[4]->NumberOfProcesses() << "\n";
  std::cout << "to the right of member 5 is " << processes[5]->right() << "\n";

  std::vector<double> found = group->compute();  // a call to all, in parallel
  std::cout << "after the barrier each found what its neighbour wrote before it:";
  for (double x : found) std::cout << " " << x;
  std::cout << "\n";
}
