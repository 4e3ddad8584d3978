// SPDX-License-Identifier: Apache-2.0
// How long until a call fails whose peer is killed, for each row of the fault matrix (tests/fault/matrix_test.cpp), and until a killed
// program's processes are gone. The limit is what C-6 promises.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <system_error>
#include <vector>

#include "kit/clock.hpp"
#include "kit/fault_scene.hpp"
#include "kit/left_behind.hpp"
#include "kit/report.hpp"

namespace {

namespace kit = octavo::kit;
using kit::scene_place, kit::stage, kit::victim;
constexpr int rounds = 11;
constexpr double promised_ms = 1000;

double until_the_call_fails(victim who, scene_place place, stage at) {
  kit::Scene scene(place, at);
  scene.reach();
  bool waits_before = at == stage::queued || at == stage::running;  // else the call would not stay at its stage
  if (waits_before) scene.let_caller_wait();
  int pid = scene.pid_of(who);
  auto begin = bench::Clock::now();
  ::kill(pid, SIGKILL);
  // A call that is only now sent is to fail: by the time it is, the victim must be gone.
  if (!waits_before) kit::await_end(who == victim::agent ? scene.pid_of(victim::callee) : pid);
  scene.let_caller_wait();
  try {
    auto outcome = scene.outcome.get();
    if (outcome.find("process_died") != 0) throw std::runtime_error("the call ended otherwise: " + outcome);
  } catch (const octavo::process_died&) {
    if (who != victim::caller) throw;
  }
  return bench::milliseconds_since(begin);
}

double until_all_are_gone(scene_place place, stage at) {
  std::array<int, 2> pipe{};
  if (::pipe2(pipe.data(), O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "making a pipe");
  octavo::Fd ours(pipe[0]), theirs(pipe[1]);
  pid_t program = ::fork();
  if (program == 0) {
    kit::Scene scene(place, at);
    scene.reach();
    auto pids = scene.pids();
    pids.push_back(0);
    [[maybe_unused]] auto n = ::write(theirs.get(), pids.data(), pids.size() * sizeof(int));
    for (;;) ::pause();
  }
  theirs.reset();
  std::vector<int> pids;
  for (int each = 0; ::read(ours.get(), &each, sizeof each) == static_cast<ssize_t>(sizeof each) && each != 0;) pids.push_back(each);
  auto begin = bench::Clock::now();
  ::kill(program, SIGKILL);
  ::waitpid(program, nullptr, 0);
  for (int pid : pids) kit::await_end(pid);
  double spent = bench::milliseconds_since(begin);
  std::filesystem::remove_all(std::filesystem::temp_directory_path() / ("octavo-scene-" + std::to_string(program) + "-1"));
  return spent;
}

}  // namespace

int main(int argc, char** argv) {
  ::setenv("OCTAVO_LOG", "off", 1);  // deaths are what this is about
  octavo::serve_if_asked();
  try {
    auto file = bench::json_file(argc, argv);
    std::vector<bench::Result> results;
    auto row = [&](victim who, scene_place place, stage at) {
      bench::Result result{.name = name_of(who) + " " + name_of(place) + " " + name_of(at),
                           .values = {},
                           .unit = "ms",
                           .limit = {"promised", promised_ms},
                           .lower_is_better = true};
      for (int i = 0; i < rounds; ++i) result.values.push_back(who == victim::program ? until_all_are_gone(place, at) : until_the_call_fails(who, place, at));
      result.conditions["rounds"] = rounds;
      results.push_back(std::move(result));
    };
    // Programs first: they are forked from this one, which has had no Runtime then.
    for (auto place : {scene_place::thread, scene_place::process, scene_place::box})
      for (auto at : kit::every_stage) row(victim::program, place, at);
    for (auto at : kit::every_stage) {
      for (auto place : {scene_place::process, scene_place::box}) row(victim::callee, place, at);
      for (auto place : {scene_place::thread, scene_place::process, scene_place::box}) row(victim::caller, place, at);
      row(victim::agent, scene_place::box, at);
    }
    bench::report(results, file);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "faults: %s\n", error.what());
    return 1;
  }
}
