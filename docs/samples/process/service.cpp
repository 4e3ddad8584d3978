// SPDX-License-Identifier: Apache-2.0
#include <octavo/process.hpp>
#include <vector>

double area(double r) { return r; }

void sample(const octavo::Machine& machine1, const octavo::Machine& machine2, const std::vector<double>& radii, double& total,
            std::vector<octavo::remote_ptr<octavo::Worker>> workers) {
  // sample
}
