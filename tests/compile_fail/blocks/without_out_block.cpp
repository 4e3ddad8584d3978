// SPDX-License-Identifier: Apache-2.0
// A function of blocks that has nothing to write to.
// expect: octavo::blocks: the function takes a const HaloBlock<T>& of each array, and an OutBlock<T>& behind them
#include "octavo/data/blocks/blocks.hpp"

namespace ov = octavo;

void run(const ov::Array& u) {
#ifdef CONTROL
  ov::blocks(u).map([](const ov::HaloBlock<float>& a, ov::OutBlock<float>& out) { out(0) = a(0); }).into("w.npy");
#else
  ov::blocks(u).map([](const ov::HaloBlock<float>& a) { return a(0); }).into("w.npy");
#endif
}
