// SPDX-License-Identifier: Apache-2.0
#include <octavo/distributed.hpp>

void smooth(const octavo::DistributedArray<double>& a) {
  // sample
}
