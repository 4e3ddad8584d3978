// SPDX-License-Identifier: Apache-2.0
#include <octavo/octavo.hpp>

void smooth(std::span<double> row);

class Part {
 public:
  void relax(const octavo::DistributedArray<double>& a);
};
OCTAVO_REMOTE(Part, relax)

double everything(const octavo::group<Part>& g, std::int64_t n, const octavo::Split& split) {
  // sample
  return s + full.front() + c.max();
}
