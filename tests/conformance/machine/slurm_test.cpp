// SPDX-License-Identifier: Apache-2.0
// What the engine of Slurm promises besides E-1 to E-6 (every_engine_test.cpp), with an srun that is played: nodes that do not answer, agents that end, what
// srun is given (AC-1, AC-2, AC-3).
#include "octavo/machine/slurm.hpp"

#include <csignal>

#include "conformance/process/every_place.hpp"
#include "kit/engines/surroundings.hpp"
#include "kit/left_behind.hpp"
#include "octavo/machine/engine_named.hpp"

namespace process_tests {
namespace {

using namespace std::chrono_literals;

class InAJob : public testing::Test {
 protected:
  void begin(std::chrono::milliseconds patience = 60s) {
    runtime.emplace(ov::RuntimeOptions{.engine = ov::slurm({.args = {"--qos=debug"}, .address = "lo", .patience = patience}), .silence = 60s});
  }
  [[nodiscard]] std::string why_not(const std::string& node) const {
    try {
      runtime->machine(node).make<Counter>();
    } catch (const ov::error& e) {
      return e.what();
    }
    return "there is one";
  }
  ov::kit::Watchdog watchdog{100};
  ov::kit::FakeSlurm slurm;
  std::optional<ov::Runtime> runtime;
};

TEST_F(InAJob, SLURM1_TheNodeOfTheProgramIsLocalAndCalledAsSlurmCallsIt) {
  begin();
  EXPECT_EQ(runtime->machines(), (std::vector<std::string>{"n1", "n2", "n3"}));
  EXPECT_EQ(runtime->machine().name(), "n1");
  auto here = runtime->machine("n1").make<Counter>(5);
  EXPECT_EQ(here->value(), 5);
  EXPECT_EQ(slurm.pid_of("n1"), -1) << "it gets no second agent";
  EXPECT_EQ(slurm.told(), "") << "nothing is started for it";
}

TEST_F(InAJob, SLURM2_OneStepForAllNodesWithoutWhatTheAllocationSaysOfTasks) {
  begin();
  auto first = runtime->machine("n3").make<Counter>(1), second = runtime->machine("n2").make<Counter>(2);
  EXPECT_EQ(first->ask(second, 1), 3);
  const auto told = slurm.told();
  for (const char* each : {"--nodelist=n2,n3\n", "--overlap\n", "--label\n", "--qos=debug\n", "SLURM_JOB_ID=7\n"}) EXPECT_THAT(told, HasSubstr(each));
  EXPECT_THAT(told, testing::Not(HasSubstr("SLURM_NTASKS")));
}

TEST_F(InAJob, SLURM3_ANodeWithoutAnAgentIsNamedAndTheOthersCanBeHadAlone) {
  slurm.silence("n3");
  begin(15s);  // a busy machine takes seconds to start the others
  const auto said = why_not("n2");
  EXPECT_THAT(said, HasSubstr("the command 'srun' ran no agent on n3 within 15000 ms"));
  EXPECT_EQ(why_not("n2"), "there is one") << "asked alone";
  EXPECT_THAT(why_not("n3"), HasSubstr("on n3 within 15000 ms")) << "what was known of it";
  EXPECT_THAT(why_not("n3"), HasSubstr("the command 'srun' ran no agent within 15000 ms")) << "asked alone";
}

TEST_F(InAJob, SLURM4_AnAgentThatNobodyWantedYetMayEndToo) {
  begin();
  auto other = runtime->machine("n3").make<Counter>(7);
  const int waiting = slurm.pid_of("n2");
  ASSERT_TRUE(alive(waiting)) << "it has answered, and waits";
  ::kill(waiting, SIGKILL);
  ov::kit::await_end(waiting);
  until([&] { return why_not("n2") == "there is one"; });  // the first may still be told of that end
  EXPECT_EQ(other->value(), 7);
  EXPECT_NE(slurm.pid_of("n2"), waiting);
}

TEST_F(InAJob, SLURM5_AtSIGTERMAnAgentEndsItsObjectsInOrder) {
  begin();
  const auto farewell = std::filesystem::temp_directory_path() / ("octavo-farewell-" + std::to_string(::getpid()));
  auto there = runtime->machine("n2").make<Farewell>(farewell.string());
  there->nothing();
  const int agent = slurm.pid_of("n2");
  ASSERT_GT(agent, 0);
  ::kill(agent, SIGTERM);
  until([&] { return std::filesystem::exists(farewell); });
  EXPECT_THROW(for (;;) there->nothing(), ov::process_died);
  std::filesystem::remove(farewell);
}

TEST(SlurmOptions, ALinkThatGoesByOneCommandAMachineIsRefused) {
  const ov::kit::FakeSlurm slurm;
  EXPECT_THROW((void)ov::slurm({.link = "ssh"}), ov::usage_error);
}

TEST(EngineNamed, SLURM6_OnlyByNameOrByTheVariable) {
  ov::kit::Watchdog watchdog(60);
  EXPECT_THROW((void)ov::engine_named("slurn"), ov::usage_error);
  ov::kit::FakeSlurm slurm;
  EXPECT_EQ(ov::engine_of_environment(), nullptr) << "in a job, but nobody asked for it";
  {
    ov::Runtime runtime;
    EXPECT_EQ(runtime.machines().size(), 1U);
  }
  slurm.set("OCTAVO_ENGINE", "slurm");
  ov::Runtime runtime;
  EXPECT_EQ(runtime.machines(), (std::vector<std::string>{"n1", "n2", "n3"}));
}

TEST(EngineNamed, SLURM1_OutsideAJobItIsSaid) {
  try {
    (void)ov::slurm();
    FAIL();
  } catch (const ov::usage_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("this is no job of Slurm"));
  }
}

}  // namespace
}  // namespace process_tests
