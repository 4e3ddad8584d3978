// SPDX-License-Identifier: Apache-2.0
#include "octavo/machine/slurm.hpp"

#include <octavo/process.hpp>
#include <vector>

class Part {
 public:
  [[nodiscard]] int value() const { return 1; }
};

void begins(int argc, char** argv) {
  std::vector<octavo::remote_ptr<Part>> parts;
  // sample
}
