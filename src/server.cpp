// SPDX-License-Identifier: Apache-2.0
// octavo-server: hosts one object of Octavo's own classes. Started by an agent, never by hand.
#include <cstdio>

#include "octavo/process/runtime.hpp"

int main() {
  octavo::serve_if_asked();
  std::fprintf(stderr, "octavo-server is started by Octavo itself, not by hand\n");
  return 2;
}
