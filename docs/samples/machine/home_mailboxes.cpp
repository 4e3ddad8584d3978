// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <octavo/machine/home_mailboxes.hpp>

void sample() {
  // sample
}
