// SPDX-License-Identifier: Apache-2.0
// The contract of every engine (octavo/machine/engine.hpp, E-1 to E-6), on each that this host can have: played machines, a shell, a real sshd, srun played and
// srun of a real Slurm. Those that start agents by a command keep LA-1, LA-3 and LA-4 by it. A new engine adds one maker.
#include <sched.h>

#include <csignal>
#include <filesystem>

#include "conformance/process/every_place.hpp"
#include "kit/engines/surroundings.hpp"
#include "kit/left_behind.hpp"
#include "kit/link/sftp_pair.hpp"
#include "octavo/machine/slurm.hpp"
#include "octavo/machine/ssh.hpp"

namespace process_tests {

// An object that looks around where it is.
class Looking {
 public:
  [[nodiscard]] std::int64_t pool_bytes() const { return ov::job_pool().bytes(); }
};
OCTAVO_REMOTE(Looking, pool_bytes)

namespace {

using namespace std::chrono_literals;

// An engine of the machines n2 and n3, and what it needs around it.
class World {
 public:
  virtual ~World() = default;
  [[nodiscard]] virtual std::shared_ptr<ov::Engine> engine() = 0;
  [[nodiscard]] virtual std::vector<std::string> machines() const { return {"n2", "n3"}; }
};

class PlayedMachines final : public World {
 public:
  std::shared_ptr<ov::Engine> engine() override { return ov::played({"n2", "n3"}); }
};
class ByAShell final : public World {
 public:
  std::shared_ptr<ov::Engine> engine() override { return ov::ssh({"n2", "n3"}, {.address = "lo", .shell = {"env"}}); }
};
class ByAShellsPipes final : public World {
 public:
  std::shared_ptr<ov::Engine> engine() override { return ov::ssh({"n2", "n3"}, {.shell = {"env"}}); }
};
class ByFiles final : public World {
 public:
  std::shared_ptr<ov::Engine> engine() override { return ov::ssh({"n2", "n3"}, {.shell = {"env"}, .link = "files"}); }
};
class ByFilesInADirectory final : public World {
 public:
  std::shared_ptr<ov::Engine> engine() override { return ov::slurm({.link = "files:" + shared_.path().string()}); }

 private:
  ov::kit::TemporaryDirectory shared_;
  ov::kit::FakeSlurm slurm_;
};
class BySshdItself final : public World {
 public:
  std::shared_ptr<ov::Engine> engine() override { return ov::ssh({"n2", "n3"}, {.shell = sshd_.shell()}); }

 private:
  ov::kit::Sshd sshd_;
};
// Each machine's directory is its own; they "log in" at each other here.
class BySftp final : public World {
 public:
  std::shared_ptr<ov::Engine> engine() override { return ov::ssh({"n2", "n3"}, {.address = "lo", .shell = {"env"}, .link = "sftp:" + server_.command()}); }

 private:
  ov::kit::SftpServer server_;
};
class BySftpThroughSshd final : public World {
 public:
  std::shared_ptr<ov::Engine> engine() override {
    return ov::ssh({"n2", "n3"}, {.address = "lo", .shell = sshd_.shell(), .link = "sftp:" + ov::kit::command_of(sshd_)});
  }

 private:
  ov::kit::Sshd sshd_;
};
class BySshd final : public World {
 public:
  std::shared_ptr<ov::Engine> engine() override { return ov::ssh({"n2", "n3"}, {.address = "lo", .shell = sshd_.shell()}); }

 private:
  ov::kit::Sshd sshd_;
};
class ByFakeSlurm final : public World {
 public:
  std::shared_ptr<ov::Engine> engine() override { return ov::slurm({.address = "lo"}); }

 private:
  ov::kit::FakeSlurm slurm_;
};
class BySlurm final : public World {
 public:
  std::shared_ptr<ov::Engine> engine() override { return ov::slurm({.address = "lo"}); }
  [[nodiscard]] std::vector<std::string> machines() const override { return {"n1", "n2", "n3"}; }

 private:
  ov::kit::SlurmCluster slurm_;
};
class BySlurmAndFiles final : public World {
 public:
  std::shared_ptr<ov::Engine> engine() override { return ov::slurm({.link = "files:" + shared_.path().string()}); }
  [[nodiscard]] std::vector<std::string> machines() const override { return {"n1", "n2", "n3"}; }

 private:
  ov::kit::TemporaryDirectory shared_;
  ov::kit::SlurmCluster slurm_;
};

struct Kind {
  const char* name;
  std::string (*missing)();
  std::unique_ptr<World> (*make)();
};
template <class W>
std::unique_ptr<World> make() {
  return std::make_unique<W>();
}
std::string nothing() { return ""; }

class EveryEngine : public testing::TestWithParam<Kind> {
 protected:
  void SetUp() override {
    if (auto why = GetParam().missing(); !why.empty()) GTEST_SKIP() << why;
    world = GetParam().make();
    before = ov::kit::children();
  }
  void begin(std::chrono::milliseconds silence = 60s) {  // so it is not silence that tells of a loss
    runtime.emplace(ov::RuntimeOptions{.memory = 64 * ov::MiB, .engine = world->engine(), .silence = silence});
  }
  [[nodiscard]] int agent_of(const std::string& machine) const {
    for (const auto& each : runtime->processes())
      if (each.machine == machine && each.address.object == 0) return static_cast<int>(each.pid);
    return -1;
  }
  ov::kit::Watchdog watchdog{100};
  std::vector<int> before;  // children, of the world
  std::unique_ptr<World> world;
  std::optional<ov::Runtime> runtime;
};

TEST_P(EveryEngine, E1_TheMachinesAreNamedInOrderAndOthersAreRefused) {
  const auto engine = world->engine();
  EXPECT_EQ(engine->machines(), world->machines());
  EXPECT_THROW(engine->start_agent("cellar"), ov::usage_error);
  begin();
  auto all = runtime->machines();
  all.erase(all.begin());
  EXPECT_EQ(all, world->machines()) << "behind this one";
  EXPECT_THROW((void)runtime->machine("cellar"), ov::usage_error);
}

TEST_P(EveryEngine, E2_AnAgentBeginsWithTheFirstObjectAndObjectsOfAllMachinesCallEachOther) {
  begin();
  EXPECT_EQ(runtime->processes().size(), 1U) << "naming machines starts nothing";
  auto first = runtime->machine("n3").make<Counter>(5);
  EXPECT_EQ(first->add(1), 6);
  EXPECT_GT(agent_of("n3"), 0);
  EXPECT_EQ(agent_of("n2"), -1) << "no object of this program is there";
  auto second = runtime->machine("n2").make<Counter>(1);
  auto here = ov::process.make<Counter>(2);
  EXPECT_EQ(second->ask(first, 1), 7);
  EXPECT_EQ(first->ask(here, 1), 3);
  EXPECT_THROW(runtime->machine("n2").make<Counter>(-1), too_much);
  EXPECT_EQ(first->big(1 << 22).size(), std::size_t{1} << 22);
}

TEST_P(EveryEngine, E3_E4_EverythingThereHasEndedWhenTheRuntimeHas) {
  begin();
  std::vector<int> pids;
  for (const auto& machine : world->machines()) {
    pids.push_back(runtime->machine(machine).make<Counter>()->pid());
    pids.push_back(agent_of(machine));
  }
  for (int pid : pids) EXPECT_TRUE(alive(pid)) << pid;
  runtime.reset();
  for (int pid : pids) EXPECT_FALSE(alive(pid)) << pid;
  // A session whose agent was too slow to end it ends with its pipes; the watchdog ends one that does not.
  while (!testing::Value(ov::kit::children(), testing::IsSubsetOf(before))) ::sched_yield();
}

TEST_P(EveryEngine, E5_AnAgentThatIsKilledIsLostTheOthersGoOnAndAnotherCanBegin) {
  begin();
  auto lost = runtime->machine("n2").make<Counter>(), other = runtime->machine("n3").make<Counter>(7);
  auto waiting = ov::start(lost)->sleep_until_killed();
  ::kill(agent_of("n2"), SIGKILL);
  try {
    waiting.get();
    FAIL();
  } catch (const ov::process_died& e) {
    EXPECT_THAT(e.what(), HasSubstr("its machine is lost"));
    EXPECT_THAT(e.what(), HasSubstr("on n2"));
  }
  EXPECT_EQ(other->value(), 7);
  auto again = runtime->machine("n2").make<Counter>(3);
  EXPECT_EQ(again->ask(other, 1), 8);
  EXPECT_THROW(lost->value(), ov::process_died);
}

TEST_P(EveryEngine, E6_EveryAgentHasThePoolThatTheRuntimeSays) {
  begin();
  EXPECT_EQ(runtime->machine("n2").make<Looking>()->pool_bytes(), runtime->machine().make<Looking>()->pool_bytes());
}

INSTANTIATE_TEST_SUITE_P(All, EveryEngine,
                         testing::Values(Kind{"played", nothing, make<PlayedMachines>}, Kind{"shell", nothing, make<ByAShell>},
                                         Kind{"shell_link_ssh", nothing, make<ByAShellsPipes>},
                                         Kind{"sshd_link_ssh", ov::kit::Sshd::missing, make<BySshdItself>}, Kind{"shell_link_files", nothing, make<ByFiles>},
                                         Kind{"fake_slurm_link_files", nothing, make<ByFilesInADirectory>},
                                         Kind{"shell_link_sftp", ov::kit::SftpServer::missing, make<BySftp>},
                                         Kind{"sshd_link_sftp", ov::kit::Sshd::missing, make<BySftpThroughSshd>},
                                         Kind{"sshd", ov::kit::Sshd::missing, make<BySshd>}, Kind{"fake_slurm", nothing, make<ByFakeSlurm>},
                                         Kind{"slurm", ov::kit::SlurmCluster::missing, make<BySlurm>},
                                         Kind{"slurm_link_files", ov::kit::SlurmCluster::missing, make<BySlurmAndFiles>}),
                         [](const auto& which) { return which.param.name; });

}  // namespace
}  // namespace process_tests
