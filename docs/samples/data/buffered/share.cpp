// SPDX-License-Identifier: Apache-2.0
#include <octavo/octavo.hpp>

namespace ov = octavo;

void sample(std::int64_t n) {
  // sample
}
