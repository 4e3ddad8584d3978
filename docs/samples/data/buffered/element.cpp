// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <octavo/octavo.hpp>

namespace ov = octavo;

void sample(ov::BufferedArray<float, 2>& u, std::int64_t i, std::int64_t j) {
  // sample
}
