// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <numeric>
#include <octavo/octavo.hpp>

namespace ov = octavo;

void sample(ov::BufferedArray<std::int32_t, 1>& x, const ov::BufferedArray<std::int32_t, 1>& y) {
  // sample
  std::cout << sum;
}
