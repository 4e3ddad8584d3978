// SPDX-License-Identifier: Apache-2.0
#include <octavo/process.hpp>
#include <vector>

struct Scale {
  double by;
  std::vector<double> operator()(std::vector<double> data) const {
    for (double& each : data) each *= by;
    return data;
  }
};

void sample(const octavo::Machine& machine1, const std::vector<double>& data) {
  // sample
}
