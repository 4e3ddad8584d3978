// SPDX-License-Identifier: Apache-2.0
// Section 3.2 of the paper, first example: a shared memory computation. Processes on four machines share one block of doubles.
#include <iostream>
#include <octavo/process.hpp>

namespace ov = octavo;

class ComputingProcess {
 public:
  explicit ComputingProcess(ov::remote_ptr<double[]> block) : data(block) {}
  void compute(int id, int N) {
    size_t count = 1024 / N, first = id * count;
    std::vector<double> part = data.slice(first, count);  // one call, a copy
    double sum = 0;
    for (double& x : part) sum += x *= x;
    data.write(first, part);  // no one else writes there
    data[1024] += sum;        // everyone adds here: it is done by the block's own process, one at a time
  }

 private:
  ov::remote_ptr<double[]> data;
};
OCTAVO_REMOTE(ComputingProcess, compute)

int main(int argc, char** argv) {
  ov::Runtime runtime(argc, argv, {.engine = ov::played({"machine0", "machine1", "machine2", "machine3"})});
  const int N = 8;
  std::vector<ov::Machine> machine;
  for (int i = 0; i < N; i++) machine.push_back(runtime.machine("machine" + std::to_string(i % 4)));

  ov::remote_ptr<double[]> data = machine[1].make<double[]>(1024 + 1);  // the last is for the sum
  for (int i = 0; i < 1024; i += 256) data.write(i, std::vector<double>(256, i / 256 + 1));

  std::vector<ov::future<ov::remote_ptr<ComputingProcess>>> made;
  for (int i = 0; i < N; i++)  // start process_group[i] = new(machine[i]) ComputingProcess(data);
    made.push_back(ov::start(machine[i]).make<ComputingProcess>(data));
  std::vector<ov::remote_ptr<ComputingProcess>> process_group = ov::when_all(std::move(made)).get();

  std::vector<ov::future<void>> done;
  for (int i = 0; i < N; i++) done.push_back(ov::start(process_group[i])->compute(i, N));
  ov::when_all(std::move(done)).get();

  std::cout << "squared:";
  for (int i = 0; i < 1024; i += 256) std::cout << " data[" << i << "] is " << data[i] << ";";
  std::cout << "\nthe sum, to which " << N << " processes added, is " << data[1024] << "\n";
}
