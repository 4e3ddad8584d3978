// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <iostream>
#include <octavo/octavo.hpp>

namespace ov = octavo;

struct Member {
  void barrier() const {}
};

void sample(const Member& me, std::int64_t n) {
  // sample
}
