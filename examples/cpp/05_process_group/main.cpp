// SPDX-License-Identifier: Apache-2.0
// Section 3.2 of the paper: a group is an array of remote pointers; its members learn of each other by SetProcessGroup; barrier.
#include <iostream>
#include <octavo/process.hpp>

namespace ov = octavo;

class ProcessGroupMember {
 public:
  virtual ~ProcessGroupMember() = default;
  int ID() const { return id; }
  int NumberOfProcesses() const { return N; }
  const std::vector<ov::remote_ptr<ProcessGroupMember>>& ProcessGroup() const { return group; }
  // my_group is a remote pointer to an array of remote pointers: it is copied once, so that later calls need not ask for it (deep copy).
  virtual void SetProcessGroup(int my_id, int my_N, ov::remote_ptr<ov::remote_ptr<ProcessGroupMember>[]> my_group) {
    id = my_id;
    N = my_N;
    group.resize(N);
    for (int i = 0; i < N; i++) group[i] = my_group[i];  // remote copy
  }
  virtual std::string Pass(std::string message) = 0;

 private:
  int id = -1, N = 0;
  std::vector<ov::remote_ptr<ProcessGroupMember>> group;
};
OCTAVO_REMOTE(ProcessGroupMember, ID, NumberOfProcesses, SetProcessGroup, Pass)

class ComputingProcess : public ProcessGroupMember {
 public:
  explicit ComputingProcess(ov::remote_ptr<double[]> block) : data(block) {}
  std::string Pass(std::string message) override {  // members call each other: once around, and each leaves its mark in the shared block
    data[ID()] += 1.0 + ID();
    message += " " + std::to_string(ID());
    return ID() + 1 < NumberOfProcesses() ? ProcessGroup()[ID() + 1]->Pass(message) : message;
  }

 private:
  ov::remote_ptr<double[]> data;
};
OCTAVO_REMOTE(ComputingProcess, (ProcessGroupMember))

int main(int argc, char** argv) {
  ov::Runtime runtime(argc, argv, {.engine = ov::played({"machine0", "machine1"})});
  const int N = 6;
  auto data = ov::process.make<double[]>(N);
  auto process_group = ov::process.make<ov::remote_ptr<ProcessGroupMember>[]>(N);
  for (int i = 0; i < N; i++) process_group[i] = runtime.machine("machine" + std::to_string(i % 2)).make<ComputingProcess>(data);

  std::vector<ov::future<void>> done;
  for (int i = 0; i < N; i++) done.push_back(ov::start(process_group[i])->SetProcessGroup(i, N, process_group));
  ov::when_all(std::move(done)).get();  // process_group->barrier(), for who started the calls

  std::cout << "member 4 is " << process_group[4]->ID() << " of " << process_group[4]->NumberOfProcesses() << "\n";
  std::cout << "the message went by" << process_group[0]->Pass("") << "\nthe block has";
  for (double x : data.items()) std::cout << " " << x;
  std::cout << "\n";
}
