// SPDX-License-Identifier: Apache-2.0
#include <octavo/python.hpp>
#include <vector>

class Part {
 public:
  void reset() {}
};
OCTAVO_PYTHON(Part, reset)

// There is no Python here: it is compiled, and not run.
void use(const octavo::remote_ptr<Part>& p, const std::vector<double>& data) {
  // sample
  part.call("reset");
  if (soon.get() < loss) model.call("reset");
}
