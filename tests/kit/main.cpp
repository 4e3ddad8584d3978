// SPDX-License-Identifier: Apache-2.0
// The main of every test executable. Tests that make processes run this program again as the server of their classes,
// so the hook for that comes first.
#include <gtest/gtest.h>

#include "kit/watchdog.hpp"

int main(int argc, char** argv) {
  octavo::kit::before_tests(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
