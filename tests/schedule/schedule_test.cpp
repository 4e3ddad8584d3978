// SPDX-License-Identifier: Apache-2.0
// Random programs on every schedule that a seed can choose. OCTAVO_SCHEDULE_STEPS says how many steps (100,000), OCTAVO_SCHEDULE_SEED with which seed to
// begin; each world has a seed of its own, which a failure names.
#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <random>

#include "kit/watchdog.hpp"
#include "schedule/world.hpp"

namespace {

using octavo::schedule::World;
using octavo::schedule::WorldOptions;

std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

class Schedule : public testing::Test {
 protected:
  // A quarter of all steps for each of the tests.
  void run(const WorldOptions& options) {
    const auto wanted = number_from("OCTAVO_SCHEDULE_STEPS", 100'000) / 4;
    const auto first = number_from("OCTAVO_SCHEDULE_SEED", std::random_device()());
    std::uint64_t steps = 0, calls = 0, worlds = 0;
    for (std::uint64_t seed = first; steps < wanted; ++seed, ++worlds) {
      octavo::kit::Watchdog watchdog(60);
      auto mine = options;
      mine.players = 1 + static_cast<unsigned>(seed % 4);
      World world(seed, mine);
      world.run();
      steps += world.steps();
      calls += world.calls();
      ASSERT_EQ(world.failure(), "") << "OCTAVO_SCHEDULE_SEED=" << seed << " has it in its first world; it took " << steps << " steps in all to find";
    }
    std::cout << "seeds from " << first << ": " << worlds << " worlds, " << steps << " steps, " << calls << " lines of calls\n";
  }
};

TEST_F(Schedule, C2_C3_CallsRunOnceInOrderAndAreAnsweredOnce) { run({.root_actions = 30}); }
TEST_F(Schedule, C1_ProcessesThatDie) { run({.root_actions = 30, .kills = 2}); }
TEST_F(Schedule, C3_WaitsThatGoInCircles) { run({.root_actions = 15, .cycles = true}); }
TEST_F(Schedule, C3_WaitsThatGoInCirclesAndProcessesThatDie) { run({.root_actions = 15, .kills = 1, .cycles = true}); }

}  // namespace
