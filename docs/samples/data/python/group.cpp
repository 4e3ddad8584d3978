// SPDX-License-Identifier: Apache-2.0
#include <octavo/python.hpp>
#include <vector>

class Part {
 public:
  double share() { return 1; }
  void reset() {}
};
OCTAVO_PYTHON(Part, share, reset)

// There is no Python here: it is compiled, and not run.
double use(const octavo::remote_ptr<Part>& part) {
  // sample
  return shares.at(0) + soon.get().at(1);
}
