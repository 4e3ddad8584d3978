// SPDX-License-Identifier: Apache-2.0
// Arrays whose devices have names, used by several programs at once, on every schedule that a seed can choose: of their calls, of each transfer of their disks,
// of transfers that fail, and of devices that are killed and come back.
#include "schedule/disks/disks.hpp"
#include "schedule/seeds.hpp"

namespace octavo::schedule {
namespace {

void run(DisksOptions options) {
  run_worlds([&](std::uint64_t seed) {
    options.programs = 1 + static_cast<unsigned>(seed % 3);
    return std::make_unique<Disks>(seed, options);
  });
}

TEST(ScheduleOfDevices, D1_D4_D6_WhatWasWrittenLastIsRead) { run({}); }
TEST(ScheduleOfDevices, D6_D7_TransfersThatFail) { run({.faults = true}); }
TEST(ScheduleOfDevices, NA3_D6_DevicesThatAreKilledAndComeBack) { run({.kills = 3}); }
TEST(ScheduleOfDevices, NA3_D6_D7_AllOfIt) { run({.kills = 3, .faults = true}); }

}  // namespace
}  // namespace octavo::schedule
