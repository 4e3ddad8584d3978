// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <octavo/octavo.hpp>

namespace ov = octavo;

void look_at(const ov::HaloBlock<float>& block);

void loops(const ov::Array& u) {
  // sample
}
