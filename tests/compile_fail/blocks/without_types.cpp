// SPDX-License-Identifier: Apache-2.0
// A function of blocks that does not say of which type they are.
// expect: octavo::blocks: the function names the types of its blocks: [](const HaloBlock<float>& a, OutBlock<float>& out)
#include "octavo/data/blocks/blocks.hpp"

namespace ov = octavo;

void run(const ov::Array& u) {
#ifdef CONTROL
  ov::blocks(u).map([](const ov::HaloBlock<float>& a, ov::OutBlock<float>& out) { out(0) = a(0); }).into("w.npy");
#else
  ov::blocks(u).map([](const auto& a, auto& out) { out(0) = a(0); }).into("w.npy");
#endif
}
