// SPDX-License-Identifier: Apache-2.0
// One world after the other, each with a seed of its own, until a quarter of all steps is taken. OCTAVO_SCHEDULE_STEPS says how many these are (100,000),
// OCTAVO_SCHEDULE_SEED with which seed to begin; a failure names the seed of its world.
//
//   run_worlds([](std::uint64_t seed) { return std::make_unique<World>(seed, options); });
//
// A world has run(), steps() and failure(), which is empty if all was right.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>

#include "kit/watchdog.hpp"

namespace octavo::schedule {

inline std::uint64_t number_from(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : otherwise;
}

template <class Make>
void run_worlds(const Make& make) {
  const auto wanted = number_from("OCTAVO_SCHEDULE_STEPS", 100'000) / 4;
  const auto first = number_from("OCTAVO_SCHEDULE_SEED", std::random_device()());
  std::uint64_t steps = 0, worlds = 0;
  for (std::uint64_t seed = first; steps < wanted; ++seed, ++worlds) {
    kit::Watchdog watchdog(60);
    const auto world = make(seed);
    world->run();
    steps += world->steps();
    ASSERT_EQ(world->failure(), "") << "OCTAVO_SCHEDULE_SEED=" << seed << " has it in its first world; it took " << steps << " steps in all to find";
  }
  std::cout << "seeds from " << first << ": " << worlds << " worlds, " << steps << " steps\n";
}

}  // namespace octavo::schedule
