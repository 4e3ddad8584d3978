// SPDX-License-Identifier: Apache-2.0
#include "kit/fault_scene.hpp"

#include <unistd.h>

#include <atomic>

namespace octavo::kit {

namespace {

enum mark : std::size_t { ready_to_send, send_now, sent, wait_now, running, callee_may_go };
constexpr std::size_t more_than_the_roads_take = 1 << 20;  // numbers: 8 MiB, against rings and windows of some 100 KiB

std::filesystem::path new_home() {
  static std::atomic<int> count{0};  // a benchmark makes one after the other
  auto path = std::filesystem::temp_directory_path() / ("octavo-scene-" + std::to_string(::getpid()) + "-" + std::to_string(++count));
  std::filesystem::create_directories(path);
  return path;
}

Place place_of(scene_place where, const Runtime& runtime) {
  if (where == scene_place::thread) return thread;
  if (where == scene_place::process) return process;
  return runtime.machine("box");
}

}  // namespace

std::string name_of(stage s) {
  switch (s) {
    case stage::before_send: return "before_send";
    case stage::queued: return "queued";
    case stage::running: return "running";
    case stage::replying: return "replying";
  }
  return "?";
}

std::string name_of(victim v) {
  switch (v) {
    case victim::callee: return "callee";
    case victim::caller: return "caller";
    case victim::agent: return "agent";
    case victim::program: return "program";
  }
  return "?";
}

std::string name_of(scene_place p) {
  switch (p) {
    case scene_place::thread: return "thread";
    case scene_place::process: return "process";
    case scene_place::box: return "box";
  }
  return "?";
}

std::size_t Callee::hold() {
  board_.set(running);
  board_.await(callee_may_go);
  return 1;
}
std::size_t Callee::nothing() { return 1; }
std::vector<double> Callee::large() {
  board_.set(running);
  return std::vector<double>(more_than_the_roads_take, 1.5);
}
int Callee::pid() const { return ::getpid(); }
int Caller::pid() const { return ::getpid(); }

std::string Caller::work(const remote_ptr<Callee>& callee, stage s, int patience_ms) {
  auto wait_and_tell = [&](auto begin) -> std::string {
    try {
      auto answer = begin();
      board_.set(sent);
      board_.await(wait_now);
      if (!answer.wait_for(std::chrono::milliseconds(patience_ms))) return "timed out";
      answer.get();
      return "answered";
    } catch (const process_died& e) {
      return std::string("process_died: ") + e.what();
    } catch (const error& e) {
      return "error of kind " + std::to_string(static_cast<int>(e.kind())) + ": " + e.what();
    }
  };
  board_.set(ready_to_send);
  board_.await(send_now);
  if (s == stage::running) return wait_and_tell([&] { return start(callee)->hold(); });
  if (s == stage::replying) return wait_and_tell([&] { return start(callee)->large(); });
  return wait_and_tell([&] { return start(callee)->nothing(); });
}

Scene::Scene(scene_place place, stage s, std::chrono::milliseconds patience, std::chrono::milliseconds silence)
    : home_(new_home()),
      stage_(s),
      patience_(patience),
      board_((home_ / "board").string()),
      runtime_({.engine = played({"box"}, home_.string()), .silence = silence}),
      callee(place_of(place, runtime_).make<Callee>((home_ / "board").string())),
      caller(process.make<Caller>((home_ / "board").string())) {}

Scene::~Scene() {
  let_caller_wait();
  let_callee_go();  // an object on a thread ends with its method
  std::filesystem::remove_all(home_);
}

void Scene::reach() {
  facts_ = runtime_.processes();
  outcome = start(caller)->work(callee, stage_, static_cast<int>(patience_.count()));
  board_.await(ready_to_send);
  if (stage_ == stage::before_send) return;
  if (stage_ == stage::queued) {
    held = start(callee)->hold();
    board_.await(running);
  }
  board_.set(send_now);
  board_.await(sent);
  if (stage_ == stage::queued) return;
  board_.await(running);
  // It answers the next call when all of the large reply that found room is sent.
  if (stage_ == stage::replying) (void)callee->pid();
}

void Scene::let_caller_wait() {
  board_.set(send_now);
  board_.set(wait_now);
}
void Scene::let_callee_go() { board_.set(callee_may_go); }

int Scene::pid_of(victim v) const {
  if (v == victim::program) return ::getpid();
  for (const auto& each : facts_) {
    if (v == victim::callee && each.address == callee.address()) return static_cast<int>(each.pid);
    if (v == victim::caller && each.address == caller.address()) return static_cast<int>(each.pid);
    if (v == victim::agent && each.machine == "box" && each.address.object == 0) return static_cast<int>(each.pid);
  }
  return -1;
}

std::vector<int> Scene::pids() const {
  std::vector<int> all;
  for (const auto& each : facts_)
    if (each.pid != ::getpid()) all.push_back(static_cast<int>(each.pid));
  return all;
}

}  // namespace octavo::kit
