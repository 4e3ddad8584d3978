// SPDX-License-Identifier: Apache-2.0
// Mailboxes of the home (MB-1 to MB-5), posted to and read by programs that end and are killed, on every schedule that a seed can choose.
#include "schedule/home/town.hpp"
#include "schedule/seeds.hpp"

namespace octavo::schedule {
namespace {

void run(TownOptions options) {
  run_worlds([&](std::uint64_t seed) {
    options.programs = 2 + static_cast<unsigned>(seed % 3);
    return std::make_unique<Town>(seed, options);
  });
}

TEST(ScheduleOfMailboxes, MB1_MB2_OneReadsWhatAllPost) { run({}); }
TEST(ScheduleOfMailboxes, MB3_MB4_ProcessesThatEnd) { run({.ends = true}); }
TEST(ScheduleOfMailboxes, MB3_ProcessesThatAreKilled) { run({.kills = 3}); }
TEST(ScheduleOfMailboxes, MB3_MB4_ProcessesThatEndOrAreKilled) { run({.kills = 2, .ends = true}); }
TEST(ScheduleOfMailboxes, MB5_TheLastingAgentIsKilled) { run({.agents_killed = 2}); }
TEST(ScheduleOfMailboxes, MB5_TheLastingAgentAndOthersAreKilled) { run({.kills = 2, .ends = true, .agents_killed = 1}); }

}  // namespace
}  // namespace octavo::schedule
