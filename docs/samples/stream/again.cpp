// SPDX-License-Identifier: Apache-2.0
#include <octavo/stream.hpp>
#include <vector>

struct Result {};
struct Task {
  bool is_small() const { return true; }
  Result solved() const { return {}; }
  std::vector<Task> parts() const { return {}; }
};
// sample

int main() { octavo::pipeline(std::vector<Task>(3), octavo::farm<Divide>().workers(2)).run(); }
