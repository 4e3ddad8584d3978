// SPDX-License-Identifier: Apache-2.0
// The contract of an engine (E-1 to E-6; more of E-4 in tests/fault/matrix_test.cpp), on played machines, and what objects of several machines are to
// each other.
#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "conformance/process/every_place.hpp"

namespace process_tests {
namespace {

class Machines : public testing::Test {
 public:
  ~Machines() override { std::filesystem::remove_all(home); }

 protected:
  int agent_of(const std::string& machine) {
    for (const auto& each : runtime.processes())
      if (each.machine == machine && each.address.object == 0) return static_cast<int>(each.pid);
    return -1;
  }
  ov::kit::Watchdog watchdog{60};
  std::filesystem::path home = std::filesystem::temp_directory_path() / ("octavo-machines-" + std::to_string(::getpid()));
  ov::Runtime runtime{{.engine = ov::played({"box", "attic"}, home.string())}};
  ov::Machine box = runtime.machine("box"), attic = runtime.machine("attic");
};

TEST_F(Machines, E1_AreNamedAndOthersAreRefused) {
  auto engine = ov::played({"box", "attic"}, home.string());
  EXPECT_EQ(engine->machines(), (std::vector<std::string>{"box", "attic"}));
  EXPECT_THROW(engine->start_agent("cellar"), ov::usage_error);
  try {
    (void)runtime.machine("cellar");
    FAIL();
  } catch (const ov::usage_error& e) {
    EXPECT_THAT(e.what(), HasSubstr("'box', 'attic'"));
  }
  EXPECT_THROW(ov::Machine("cellar").make<Counter>(), ov::usage_error) << "a place that nobody checked";
}

TEST_F(Machines, E2_AgentsBeginWithTheFirstObjectAndWorkInTheirOwnDirectory) {
  EXPECT_EQ(runtime.processes().size(), 1u) << "naming a machine starts nothing";
  auto p = box.make<Counter>(5);
  EXPECT_EQ(p->add(1), 6);
  EXPECT_GT(agent_of("box"), 0);
  EXPECT_EQ(agent_of("attic"), -1);
  EXPECT_EQ(std::filesystem::read_symlink("/proc/" + std::to_string(p->pid()) + "/cwd"), home / "box");
}

TEST_F(Machines, E3_EverythingThereEndsWithTheProgram) {
  int agent = 0, pid = 0;
  auto elsewhere = home / "inner";
  {
    ov::Runtime inner({.reach = ov::runtime_reach::scope, .engine = ov::played({"shed"}, elsewhere.string())});
    auto use = inner.use();
    pid = inner.machine("shed").make<Counter>()->pid();
    for (const auto& each : inner.processes())
      if (each.address.object == 0) agent = static_cast<int>(each.pid);
    EXPECT_TRUE(alive(agent) && alive(pid));
  }
  EXPECT_FALSE(alive(agent) || alive(pid)) << "when the Runtime has ended, not later (A-3, E-4)";
}

// A played engine that notes what it knew when its first agent was wanted.
class Noting final : public ov::Engine {
 public:
  explicit Noting(const std::string& directory) : played_(ov::played({"shed"}, directory)) {}
  [[nodiscard]] std::vector<std::string> machines() const override { return played_->machines(); }
  std::unique_ptr<ov::road::Link> start_agent(const std::string& machine) override {
    known_ = told_;
    return played_->start_agent(machine);
  }
  void end() override { played_->end(); }
  void prepare(const ov::AgentTerms& terms) override { played_->prepare(told_ = terms); }
  [[nodiscard]] const ov::AgentTerms& known() const { return known_; }

 private:
  std::shared_ptr<ov::Engine> played_;
  ov::AgentTerms told_, known_;
};

TEST_F(Machines, E6_WhatTheRuntimeWasGivenIsToldBeforeTheFirstAgentBegins) {
  auto engine = std::make_shared<Noting>((home / "inner").string());
  {
    ov::Runtime inner(
        {.memory = 8 * ov::MiB, .ring_bytes = 64 * ov::KiB, .reach = ov::runtime_reach::scope, .engine = engine, .silence = std::chrono::milliseconds(20000)});
    auto use = inner.use();
    EXPECT_EQ(inner.machine("shed").make<Counter>(5)->add(1), 6);
  }
  EXPECT_EQ(engine->known().silence, std::chrono::milliseconds(20000));
  EXPECT_EQ(engine->known().pool_bytes, 8 * ov::MiB);
  EXPECT_EQ(engine->known().ring_bytes, 64 * ov::KiB);
}

TEST_F(Machines, WithoutADirectoryTheyWorkInATemporaryOneThatTheEndRemoves) {
  std::filesystem::path where;
  {
    ov::Runtime inner({.reach = ov::runtime_reach::scope, .engine = ov::played({"shed"})});
    auto use = inner.use();
    auto p = inner.machine("shed").make<Counter>();
    where = std::filesystem::read_symlink("/proc/" + std::to_string(p->pid()) + "/cwd");
    EXPECT_EQ(where.filename(), "shed");
    EXPECT_TRUE(std::filesystem::is_directory(where));
    std::ofstream(where / "left") << "by an object";
  }
  EXPECT_FALSE(std::filesystem::exists(where.parent_path()));
}

TEST_F(Machines, E5_TheLossOfAMachineFailsItsCallsAndSaysSo) {
  auto p = box.make<Counter>(), q = attic.make<Counter>(7);
  auto waiting = ov::start(p)->sleep_until_killed();
  ::kill(agent_of("box"), SIGKILL);
  try {
    waiting.get();
    FAIL();
  } catch (const ov::process_died& e) {
    EXPECT_EQ(e.obituary().facts.address, p.address());
    EXPECT_THAT(e.what(), HasSubstr("its machine is lost"));
    EXPECT_THAT(e.what(), HasSubstr("on box"));
  }
  EXPECT_THROW(p->value(), ov::process_died);
  EXPECT_EQ(q->value(), 7) << "other machines are not concerned";
}

// the program's agent is the hub.
TEST_F(Machines, C8_ObjectsOfAllMachinesCallEachOther) {
  auto here = ov::process.make<Counter>(1), there = box.make<Counter>(10), beyond = attic.make<Counter>(100);
  EXPECT_EQ(there->ask(beyond, 1), 101) << "by way of the program's agent";
  EXPECT_EQ(beyond->ask(here, 1), 2);
  EXPECT_EQ(here->ask(there, 1), 11);
  EXPECT_EQ(there->ask_back(beyond, there), 11) << "a callback from another machine (C-3)";
  auto child = there->offspring(50);
  EXPECT_EQ(child->value(), 50);
  EXPECT_EQ(child.address().agent, there.address().agent) << "'local' is the machine of who says it";
  EXPECT_EQ(beyond->ask(child, 1), 51);
}

TEST_F(Machines, C6_ADeathIsToldAcrossMachines) {
  auto there = box.make<Counter>(), beyond = attic.make<Counter>();
  EXPECT_EQ(there->ask(beyond, 1), 1);
  runtime.kill(beyond.address(), SIGKILL);
  try {
    for (;;) there->ask(beyond, 1);
  } catch (const ov::process_died& e) {
    EXPECT_EQ(e.obituary().facts.address, beyond.address());
    EXPECT_THAT(e.what(), HasSubstr("SIGKILL"));
  }
}

TEST_F(Machines, BesideIsTheMachineOfTheOther) {
  auto p = box.make<Counter>();
  auto q = ov::beside(p).make<Counter>(3);
  EXPECT_EQ(q.address().agent, p.address().agent);
  auto listed = runtime.processes();
  EXPECT_EQ(std::count_if(listed.begin(), listed.end(), [](const auto& each) { return each.machine == "box"; }), 3) << "two objects and the agent";
  EXPECT_EQ(p->ask(q, 1), 4);
}

TEST_F(Machines, LargeDataGoesThereAndBack) {
  auto p = box.make<Counter>();
  std::vector<double> data(1 << 19, 0.5);
  EXPECT_EQ(p->sum(data), 0.5 * (1 << 19));
  EXPECT_EQ(p->big(1 << 20).size(), std::size_t{1} << 20);
  std::vector<ov::future<double>> sums;
  for (int i = 0; i < 20; ++i) sums.push_back(ov::start(p)->sum(data));
  for (auto& each : sums) EXPECT_EQ(each.get(), 0.5 * (1 << 19));
}

}  // namespace
}  // namespace process_tests
