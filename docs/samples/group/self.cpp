// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <functional>
#include <octavo/group.hpp>

class Worker {
 public:
  explicit Worker(double x) : x_(x) {}
  octavo::future<double> norm();
  void take(double all) { taken_ = all; }
  double taken() const { return taken_; }

 private:
  double x_, taken_ = 0;
};
OCTAVO_REMOTE(Worker, norm, take, taken)

// sample

int main(int argc, char** argv) {
  octavo::Runtime runtime(argc, argv);
  auto g = octavo::make_group<Worker>(octavo::process, 5, 2.0);
  if (g->norm() != std::vector<double>(5, std::sqrt(20.0))) return 1;
  return g->taken() == std::vector<double>(5, 20.0) ? 0 : 2;
}
