// SPDX-License-Identifier: Apache-2.0
#include <octavo/octavo.hpp>

void borders(const octavo::DistributedArray<double>& a) {
  // sample
  (void)u;
}
