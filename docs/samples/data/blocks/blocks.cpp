// SPDX-License-Identifier: Apache-2.0
#include <octavo/octavo.hpp>

namespace ov = octavo;

void mapped(const ov::Array& v) {
  // sample
}
