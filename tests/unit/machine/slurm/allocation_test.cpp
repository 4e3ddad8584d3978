// SPDX-License-Identifier: Apache-2.0
// What Slurm's variables say of the job that a program runs in, what srun is given, and what it says (SLURM-1, SLURM-2, SLURM-4).
#include "machine/engine/slurm/allocation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "machine/engine/slurm/srun.hpp"
#include "octavo/base/error.hpp"

namespace octavo::engine::slurm {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

using Variables = std::map<std::string, std::string>;

Allocation of(const Variables& variables) {
  return allocation([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

std::string said_of(const Variables& variables) {
  try {
    (void)of(variables);
  } catch (const usage_error& e) {
    return e.what();
  }
  return "nothing";
}

const Variables batch{{"SLURM_JOB_ID", "7"}, {"SLURM_JOB_NODELIST", "n[1-3]"}, {"SLURMD_NODENAME", "n1"}};

TEST(Allocation, SLURM1_InABatchScriptTheFirstNodeIsHere) {
  const auto job = of(batch);
  EXPECT_EQ(job.here, "n1");
  EXPECT_THAT(job.others(), ElementsAre("n2", "n3"));
}

TEST(Allocation, SLURM1_ALoginNodeIsNoneOfThem) {
  auto variables = batch;
  for (const char* name : {"", "login1"}) {
    variables["SLURMD_NODENAME"] = name;
    EXPECT_EQ(of(variables).here, "");
    EXPECT_THAT(of(variables).others(), ElementsAre("n1", "n2", "n3"));
  }
}

TEST(Allocation, SLURM1_WhatIsNoJobAndWhatRunsSeveralTimesIsSaid) {
  EXPECT_THAT(said_of({}), HasSubstr("no job of Slurm"));
  EXPECT_THAT(said_of({{"SLURM_JOB_ID", "7"}}), HasSubstr("sbatch"));
  auto variables = batch;
  variables["SLURM_STEP_NUM_TASKS"] = "4";
  EXPECT_EQ(said_of(variables), "nothing") << "left over from elsewhere: it is no step";
  variables["SLURM_STEP_ID"] = "0";
  EXPECT_THAT(said_of(variables), HasSubstr("this program runs 4 times"));
  variables["SLURM_STEP_NUM_TASKS"] = "1";
  EXPECT_EQ(said_of(variables), "nothing");
}

TEST(Allocation, SLURM2_WhatTheAllocationSaysOfTasksIsLeftOut) {
  for (const char* name : {"SLURM_NTASKS", "SLURM_NTASKS_PER_NODE", "SLURM_NPROCS", "SLURM_TASKS_PER_NODE", "SLURM_CPUS_PER_TASK", "SLURM_MEM_PER_CPU"})
    EXPECT_TRUE(is_of_tasks(name)) << name;
  for (const char* name : {"SLURM_JOB_ID", "SLURM_CONF", "SLURM_JOB_NODELIST", "PATH", "SLURM_MEMORY"}) EXPECT_FALSE(is_of_tasks(name)) << name;
}

TEST(Srun, SLURM2_OneStepBesideTheOthersForAllNodes) {
  const auto words = Srun({.args = {"--qos=debug"}, .program = "/opt/octavo-server"}).command({"n2", "n3"});
  EXPECT_EQ(words.front(), "srun");
  for (const char* each :
       {"--nodes=2", "--ntasks=2", "--ntasks-per-node=1", "--nodelist=n2,n3", "--overlap", "--cpu-bind=none", "--no-kill", "--label", "--qos=debug"})
    EXPECT_THAT(words, Contains(each));
  EXPECT_THAT((std::vector<std::string>{words.end() - 3, words.end()}), ElementsAre("env", "OCTAVO_AGENT=call SLURMD_NODENAME", "/opt/octavo-server"));
}

TEST(Srun, LA2_LinesHaveTheLabelOfTheirTask) {
  const Srun srun({});
  const auto of_line = [&](std::string_view line) {
    const auto found = srun.labelled(line);
    return std::pair{std::string(found.label), std::string(found.text)};
  };
  EXPECT_EQ(of_line("0: octavo agent\n"), (std::pair<std::string, std::string>{"0", "octavo agent\n"}));
  EXPECT_EQ(of_line("  7:   a: b\n"), (std::pair<std::string, std::string>{"7", "  a: b\n"}));
  EXPECT_EQ(of_line("12: \n"), (std::pair<std::string, std::string>{"12", "\n"}));
  EXPECT_EQ(of_line("12:\n"), (std::pair<std::string, std::string>{"12", "\n"}));
  for (const std::string line : {"srun: job 7 queued\n", "\n", "", "12\n", "a0: b\n", "  "}) EXPECT_EQ(of_line(line), (std::pair{std::string(), line}));
}

TEST(Srun, SLURM4_ItsOwnWordsOfAnEndNameTheNodes) {
  const Srun srun({});
  EXPECT_THAT(srun.ended("srun: error: n2: task 0: Killed"), ElementsAre("n2"));
  EXPECT_THAT(srun.ended("srun: error: n[2-3]: tasks 0-1: Exited with exit code 1"), ElementsAre("n2", "n3"));
  EXPECT_THAT(srun.ended("srun: error: Node failure on n3"), ElementsAre("n3"));
  for (const char* line :
       {"0: srun: error: n2: task 0: Killed", "srun: error: Unable to create step for job 7: Invalid node list", "srun: error: n[2-: task 0", ""})
    EXPECT_THAT(srun.ended(line), ElementsAre()) << line;
}

}  // namespace
}  // namespace octavo::engine::slurm
