// SPDX-License-Identifier: Apache-2.0
// Section 3.1 of the paper: simple objects are processes too. A block of doubles on another machine, used with [].
#include <iostream>
#include <numeric>
#include <octavo/process.hpp>

namespace ov = octavo;

double sum(std::span<const double> block) { return std::accumulate(block.begin(), block.end(), 0.0); }

int main(int argc, char** argv) {
  ov::Runtime runtime(argc, argv, {.engine = ov::played({"machine1"})});
  ov::Machine remote_machine = runtime.machine("machine1");

  ov::remote_ptr<double[]> data = remote_machine.make<double[]>(1024);  // double * data = new(remote_machine) double[1024];
  data[7] = 3.1415;
  double x = data[2];
  std::cout << "data[2] is " << x << ", data[7] is " << data[7] << "\n";

  data[2] += 0.5;  // added where the number is: whoever does the same meanwhile, nothing is lost
  std::cout << "data[2] is " << data[2] << ", the sum of all " << data->size() << " is " << ov::call<&sum>(data) << "\n";

  std::vector<double> part = data.slice(6, 3);  // many at once: one call
  std::cout << "data[6..8] is " << part[0] << ", " << part[1] << ", " << part[2] << "\n";

  try {
    data[1024] = 1;
  } catch (const std::out_of_range& error) {
    std::cout << "data[1024]: " << error.what() << "\n";
  }
  ov::destroy(data);  // the process that has them ends
}
