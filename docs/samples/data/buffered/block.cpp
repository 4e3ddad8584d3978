// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <octavo/octavo.hpp>

namespace ov = octavo;

void sample(ov::BufferedArray<float, 2>& u) {
  // sample
  static_cast<void>(seen);
}
