// SPDX-License-Identifier: Apache-2.0
// Connections between processes of programs and of the lasting agent (A-2, MB-5), as they are made while some end and are killed, on every schedule that a seed
// can choose.
#include "schedule/connections/programs.hpp"
#include "schedule/seeds.hpp"

namespace octavo::schedule {
namespace {

void run(const ProgramsOptions& options) {
  run_worlds([&](std::uint64_t seed) { return std::make_unique<Programs>(seed, options); });
}

TEST(ScheduleOfConnections, BothEndsAreGiven) { run({}); }
TEST(ScheduleOfConnections, WhereAgentsCarrySome) { run({.kills = 2, .far = true}); }
TEST(ScheduleOfConnections, WhereNoDescriptorIsLeft) { run({.kills = 1, .scarce = true}); }
TEST(ScheduleOfConnections, A2_ProcessesThatAreKilled) { run({.kills = 3}); }
TEST(ScheduleOfConnections, MB5_TheLastingAgentIsKilled) { run({.agents_killed = 2}); }
TEST(ScheduleOfConnections, MB5_TheLastingAgentAndOthersAreKilled) { run({.kills = 2, .agents_killed = 2, .far = true}); }

}  // namespace
}  // namespace octavo::schedule
