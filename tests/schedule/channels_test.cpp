// SPDX-License-Identifier: Apache-2.0
// Channels whose ends move (CH-1, CH-3 to CH-5, CH-7), on every schedule that a seed can choose.
#include "schedule/canal/canal.hpp"
#include "schedule/seeds.hpp"

namespace octavo::schedule {
namespace {

void run(CanalOptions options) {
  run_worlds([&](std::uint64_t seed) {
    options.processes = 2 + static_cast<unsigned>(seed % 3);
    return std::make_unique<Canal>(seed, options);
  });
}

TEST(ScheduleOfChannels, CH1_CH3_EndsThatStay) { run({.moves = 1}); }
TEST(ScheduleOfChannels, CH1_CH7_EndsThatMove) { run({}); }
TEST(ScheduleOfChannels, CH1_CH7_ProcessesThatEndBehindTheirEnds) { run({.leaves = 2}); }
TEST(ScheduleOfChannels, CH5_CH7_ProcessesThatAreKilled) { run({.kills = 1}); }
TEST(ScheduleOfChannels, CH4_AReaderThatCancels) { run({.cancels = true}); }

}  // namespace
}  // namespace octavo::schedule
