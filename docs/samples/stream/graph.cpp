// SPDX-License-Identifier: Apache-2.0
#include <fstream>
#include <iostream>
#include <octavo/stream.hpp>
#include <vector>

void sample() {
  const auto s = octavo::pipeline(std::vector{1, 2}, [](int x) { return x; });
  // sample
}
