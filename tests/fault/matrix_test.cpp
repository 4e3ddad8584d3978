// SPDX-License-Identifier: Apache-2.0
// The fault matrix (C-6, C-7, E-5): who is killed or stopped, at which stage of a call, with the callee on which place. Every waiting call
// ends with the right error, or in the given time; who lives goes on, and keeps nothing of the dead.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <fstream>
#include <thread>
#include <tuple>

#include "kit/fault_scene.hpp"
#include "kit/left_behind.hpp"
#include "kit/watchdog.hpp"

namespace octavo {
namespace {

using namespace std::chrono_literals;
using kit::scene_place, kit::stage, kit::victim;
using testing::HasSubstr;

constexpr int watch_seconds = 10;
constexpr auto patience = 300ms;  // of calls to who is stopped
using Row = std::tuple<scene_place, stage>;

std::string name_of_row(const testing::TestParamInfo<Row>& info) { return name_of(std::get<0>(info.param)) + "_" + name_of(std::get<1>(info.param)); }

// What the call of the caller ends with when its peer is dead.
template <class F>
std::string death_of(F& call) {
  try {
    call.get();
  } catch (const process_died& e) {
    return e.what();
  }
  return "no death";
}

class Matrix : public testing::TestWithParam<Row> {
 protected:
  ~Matrix() override {
    for (int pid : pids) kit::await_end(pid);
    EXPECT_EQ(kit::shared_memory_since(files_before), std::set<std::string>());
    EXPECT_EQ(kit::open_descriptors(), descriptors_before);
    EXPECT_EQ(kit::children(), std::vector<int>());
  }
  void reach(kit::Scene& scene) {
    scene.reach();
    pids = scene.pids();
  }
  scene_place place = std::get<0>(GetParam());
  stage at = std::get<1>(GetParam());
  std::vector<int> pids;
  kit::Watchdog watchdog{watch_seconds};
  std::set<std::string> files_before = kit::shared_memory_files();
  std::vector<std::string> descriptors_before = kit::open_descriptors();
};

class CalleeRow : public Matrix {};
class CallerRow : public Matrix {};
class AgentRow : public Matrix {};
class ProgramRow : public Matrix {};

TEST_P(CalleeRow, Killed) {
  kit::Scene scene(place, at);
  reach(scene);
  ::kill(scene.pid_of(victim::callee), SIGKILL);
  kit::await_end(scene.pid_of(victim::callee));
  scene.let_caller_wait();
  auto outcome = scene.outcome.get();
  EXPECT_THAT(outcome, HasSubstr("process_died"));
  EXPECT_THAT(outcome, HasSubstr("Callee (process"));
  EXPECT_THAT(outcome, HasSubstr("SIGKILL"));
  if (scene.held.valid()) {
    EXPECT_THAT(death_of(scene.held), HasSubstr("SIGKILL"));
  }
  EXPECT_THROW(scene.callee->pid(), process_died);
  EXPECT_EQ(scene.caller->pid(), scene.pid_of(victim::caller)) << "the caller goes on";
  kit::await_rings(scene.pid_of(victim::caller), 1);  // with the program, and none with the dead
}

TEST_P(CalleeRow, Stopped) {
  kit::Scene scene(place, at, patience);
  reach(scene);
  kit::stop(scene.pid_of(victim::callee));
  scene.let_caller_wait();
  EXPECT_EQ(scene.outcome.get(), "timed out");
  if (scene.held.valid()) {
    EXPECT_FALSE(scene.held.wait_for(patience));
  }
  auto more = start(scene.callee)->pid();
  EXPECT_FALSE(more.wait_for(patience));
  ::kill(scene.pid_of(victim::callee), SIGCONT);
  scene.let_callee_go();
  EXPECT_EQ(more.get(), scene.pid_of(victim::callee)) << "it was slow, no more";
  if (scene.held.valid()) {
    EXPECT_EQ(scene.held.get(), 1u);
  }
}

TEST_P(CalleeRow, StoppedWhenTheProgramEnds) {
  kit::Scene scene(place, at, patience);
  reach(scene);
  kit::stop(scene.pid_of(victim::callee));
}

TEST_P(CallerRow, Killed) {
  kit::Scene scene(place, at);
  reach(scene);
  ::kill(scene.pid_of(victim::caller), SIGKILL);
  auto death = death_of(scene.outcome);
  EXPECT_THAT(death, HasSubstr("Caller (process"));
  EXPECT_THAT(death, HasSubstr("SIGKILL"));
  scene.let_callee_go();
  if (scene.held.valid()) {
    EXPECT_EQ(scene.held.get(), 1u);
  }
  EXPECT_EQ(scene.callee->pid(), scene.pid_of(victim::callee)) << "the callee goes on";
  if (place != scene_place::thread) kit::await_rings(scene.pid_of(victim::callee), 1);
}

TEST_P(CallerRow, Stopped) {
  kit::Scene scene(place, at);
  reach(scene);
  kit::stop(scene.pid_of(victim::caller));
  EXPECT_FALSE(scene.outcome.wait_for(patience));
  scene.let_callee_go();
  if (scene.held.valid()) {
    EXPECT_EQ(scene.held.get(), 1u);
  }
  EXPECT_NO_THROW(scene.callee->pid()) << "the callee does not wait for who stopped reading";
  ::kill(scene.pid_of(victim::caller), SIGCONT);
  scene.let_caller_wait();
  EXPECT_EQ(scene.outcome.get(), "answered");
}

TEST_P(CallerRow, StoppedWhenTheProgramEnds) {
  kit::Scene scene(place, at);
  reach(scene);
  kit::stop(scene.pid_of(victim::caller));
}

TEST_P(AgentRow, Killed) {
  kit::Scene scene(place, at);
  reach(scene);
  ::kill(scene.pid_of(victim::agent), SIGKILL);
  kit::await_end(scene.pid_of(victim::callee));
  scene.let_caller_wait();
  auto outcome = scene.outcome.get();
  EXPECT_THAT(outcome, HasSubstr("process_died"));
  EXPECT_THAT(outcome, HasSubstr("its machine is lost"));
  if (scene.held.valid()) {
    EXPECT_THAT(death_of(scene.held), HasSubstr("its machine is lost"));
  }
  EXPECT_EQ(scene.caller->pid(), scene.pid_of(victim::caller)) << "other machines are not concerned";
}

TEST_P(AgentRow, Stopped) {
  kit::Scene scene(place, at, patience);
  reach(scene);
  kit::stop(scene.pid_of(victim::agent));
  auto more = start(scene.callee)->pid();
  EXPECT_FALSE(more.wait_for(patience));
  ::kill(scene.pid_of(victim::agent), SIGCONT);
  scene.let_callee_go();
  EXPECT_EQ(more.get(), scene.pid_of(victim::callee)) << "it was slow, no more";
  scene.let_caller_wait();
  EXPECT_THAT(scene.outcome.get(), testing::AnyOf("answered", "timed out"));
}

// E-6: a loss that nothing tells of but its silence.
TEST_P(AgentRow, StoppedForLongerThanTheSilence) {
  kit::Scene scene(place, at, 1h, 1000ms);
  reach(scene);
  kit::stop(scene.pid_of(victim::agent));
  scene.let_caller_wait();
  auto outcome = scene.outcome.get();
  EXPECT_THAT(outcome, HasSubstr("process_died"));
  EXPECT_THAT(outcome, HasSubstr("its machine is lost"));
  EXPECT_THAT(outcome, HasSubstr("nothing came for"));
  EXPECT_THROW(scene.callee->pid(), process_died);
  ::kill(scene.pid_of(victim::agent), SIGCONT);  // it finds that it was given up, and ends
}

// E-4: the engine ends an agent that does not end by itself.
TEST(AgentAlone, StoppedWhenTheProgramEnds) {
  kit::Watchdog watchdog(watch_seconds);
  int agent = -1;
  {
    kit::Scene scene(scene_place::box, stage::running);
    scene.reach();
    agent = scene.pid_of(victim::agent);
    kit::stop(agent);
  }
  EXPECT_FALSE(kit::alive(agent));
}

// The program of these rows is a child of the test: it brings the call to its stage and tells who takes part. What `go_on` lets it do is
// told by its exit status.
[[noreturn]] void program(scene_place place, stage at, int report, const std::string& go_on) {
  int status = 1;
  {
    kit::Scene scene(place, at);
    scene.reach();
    auto pids = scene.pids();
    pids.push_back(0);
    [[maybe_unused]] auto n = ::write(report, pids.data(), pids.size() * sizeof(int));
    kit::Board(go_on).await(0);
    scene.let_callee_go();
    scene.let_caller_wait();
    status = scene.outcome.get() == "answered" ? 0 : 2;
  }
  std::_Exit(status);
}

struct Program {
  Program(scene_place place, stage at, std::vector<int>& pids, kit::Watchdog& watchdog) {
    std::array<int, 2> pipe{};
    if (::pipe2(pipe.data(), O_CLOEXEC) != 0) std::abort();
    Fd ours(pipe[0]), theirs(pipe[1]);
    pid = watchdog.fork();
    if (pid == 0) program(place, at, theirs.get(), go_on);
    for (int each = 0; ::read(ours.get(), &each, sizeof each) == static_cast<ssize_t>(sizeof each) && each != 0;) pids.push_back(each);
    // It leaves its directory when it is killed: a file system keeps what was written.
    home = std::filesystem::temp_directory_path() / ("octavo-scene-" + std::to_string(pid) + "-1");
  }
  ~Program() {
    std::filesystem::remove_all(home);
    std::filesystem::remove(go_on);
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  int end() const {
    int status = 0;
    ::waitpid(pid, &status, 0);
    return status;
  }
  std::string go_on = (std::filesystem::temp_directory_path() / ("octavo-go-on-" + std::to_string(::getpid()))).string();
  std::filesystem::path home;
  pid_t pid = -1;
};

TEST_P(ProgramRow, Killed) {
  Program child(place, at, pids, watchdog);
  ASSERT_GE(pids.size(), place == scene_place::thread ? 1u : 2u);
  ::kill(child.pid, SIGKILL);
  EXPECT_TRUE(WIFSIGNALED(child.end()));
}

TEST_P(ProgramRow, StoppedAndContinued) {
  Program child(place, at, pids, watchdog);
  kit::stop(child.pid);
  kit::Board(child.go_on).set(0);
  for (int pid : pids) EXPECT_TRUE(kit::alive(pid));
  ::kill(child.pid, SIGCONT);
  int status = child.end();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}

TEST_P(ProgramRow, StoppedAndKilled) {
  Program child(place, at, pids, watchdog);
  kit::stop(child.pid);
  ::kill(child.pid, SIGKILL);
  EXPECT_TRUE(WIFSIGNALED(child.end()));
}

const auto stages = testing::ValuesIn(kit::every_stage);
INSTANTIATE_TEST_SUITE_P(, CalleeRow, testing::Combine(testing::Values(scene_place::process, scene_place::box), stages), name_of_row);
INSTANTIATE_TEST_SUITE_P(, CallerRow, testing::Combine(testing::Values(scene_place::thread, scene_place::process, scene_place::box), stages), name_of_row);
INSTANTIATE_TEST_SUITE_P(, AgentRow, testing::Combine(testing::Values(scene_place::box), stages), name_of_row);
INSTANTIATE_TEST_SUITE_P(, ProgramRow, testing::Combine(testing::Values(scene_place::thread, scene_place::process, scene_place::box), stages), name_of_row);

}  // namespace
}  // namespace octavo
