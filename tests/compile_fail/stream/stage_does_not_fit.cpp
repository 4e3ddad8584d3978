// SPDX-License-Identifier: Apache-2.0
// A stage that takes something else than the one before it gives.
// expect: octavo::pipeline: this stage does not take what the one before it gives
#include <string>
#include <vector>

#include "octavo/stream.hpp"

struct Text {
  std::string svc(int x) { return std::to_string(x); }
};
#ifdef CONTROL
using Taken = std::string;
#else
using Taken = std::vector<int>;
#endif
struct Sum {
  void svc(const Taken& /*in*/) {}
};

void run() { octavo::pipeline(std::vector{1, 2}, octavo::farm<Text>(), octavo::stage<Sum>()).run(); }
