// SPDX-License-Identifier: Apache-2.0
// Random programs of endpoints on every schedule that a seed can choose.
#include "schedule/seeds.hpp"
#include "schedule/world.hpp"

namespace {

using octavo::schedule::World;
using octavo::schedule::WorldOptions;

void run(WorldOptions options) {
  octavo::schedule::run_worlds([&](std::uint64_t seed) {
    options.players = 1 + static_cast<unsigned>(seed % 4);
    return std::make_unique<World>(seed, options);
  });
}

TEST(Schedule, C2_C3_CallsRunOnceInOrderAndAreAnsweredOnce) { run({.root_actions = 30}); }
TEST(Schedule, C1_ProcessesThatDie) { run({.root_actions = 30, .kills = 2}); }
TEST(Schedule, C3_WaitsThatGoInCircles) { run({.root_actions = 15, .cycles = true}); }
TEST(Schedule, C3_WaitsThatGoInCirclesAndProcessesThatDie) { run({.root_actions = 15, .kills = 1, .cycles = true}); }

}  // namespace
