// SPDX-License-Identifier: Apache-2.0
#include <octavo/octavo.hpp>

namespace ov = octavo;

void functions() {
  // sample
  ov::blocks("u.npy").halo(1).map(mean).into("w.npy");
  ov::blocks("u.npy").map(first).into("w.npy");
}
