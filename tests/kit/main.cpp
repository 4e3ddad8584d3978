// SPDX-License-Identifier: Apache-2.0
// The main of every test executable. Tests that make processes run this program again as the server of their classes,
// so the hook for that comes first.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "base/delay_point.hpp"
#include "kit/watchdog.hpp"
#include "octavo/machine/fork_server.hpp"

namespace {

// In a build with delays each run tries other ones; what it prints has them drawn again. For this process and those it starts.
void draw_delays() {
  if (!octavo::delays_are_built || std::getenv("OCTAVO_DELAY_SEED") != nullptr) return;
  const auto seed = std::to_string(1 + std::random_device()() % 1'000'000'000);
  ::setenv("OCTAVO_DELAY_SEED", seed.c_str(), 1);
  std::fprintf(stderr, "delays: OCTAVO_DELAY_SEED=%s draws these again\n", seed.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  octavo::serve_forks_if_asked({});
  octavo::kit::before_tests(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  if (!GTEST_FLAG_GET(list_tests)) draw_delays();
  return RUN_ALL_TESTS();
}
