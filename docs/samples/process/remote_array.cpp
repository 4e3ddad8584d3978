// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <octavo/process.hpp>
#include <span>
#include <vector>

double norm(std::span<const double> values) { return std::sqrt(values.front()); }
class Worker {
 public:
  void work() {}
};
OCTAVO_REMOTE(Worker, work)

void sample(const octavo::Machine& machine1, const octavo::Machine& here, std::vector<double>& mine, const octavo::remote_ptr<Worker>& p) {
  // sample
}
