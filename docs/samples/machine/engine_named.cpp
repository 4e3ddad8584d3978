// SPDX-License-Identifier: Apache-2.0
#include "octavo/machine/engine_named.hpp"

#include <octavo/process.hpp>

void begins(int argc, char** argv) {
  // sample
}
