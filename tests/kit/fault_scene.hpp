// SPDX-License-Identifier: Apache-2.0
// A call that is brought to an exact stage, so that somebody in it can be killed or stopped there: a caller (a process of its own), a
// callee (on any place), and the program that made both. For the fault matrix and for benchmarks/faults.cpp.
//
//   kit::Scene scene(kit::scene_place::box, kit::stage::replying);
//   scene.reach();                                       // returns when the call is there, and stays there
//   ::kill(scene.pid_of(kit::victim::callee), SIGKILL);
//   scene.let_caller_wait();                             // how it ended there: scene.outcome.get()
//   scene.let_callee_go();
//
// Failure: what Octavo throws. Threading: one.
#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

#include "kit/board.hpp"
#include "octavo/process.hpp"

namespace octavo::kit {

enum class stage : std::uint8_t {
  before_send,  // the caller knows the callee, and has never called it
  queued,       // the call is sent, and another method runs
  running,      // its method has begun, and does not end
  replying      // its method has returned more than the roads between the two take, and the caller does not read
};
enum class victim : std::uint8_t { callee, caller, agent, program };
enum class scene_place : std::uint8_t { thread, process, box };
inline constexpr std::array every_stage{stage::before_send, stage::queued, stage::running, stage::replying};

std::string name_of(stage s);
std::string name_of(victim v);
std::string name_of(scene_place p);

class Callee {
 public:
  explicit Callee(const std::string& board) : board_(board) {}
  std::size_t hold();     // runs until it is let go
  std::size_t nothing();  // ends at once
  std::vector<double> large();
  int pid() const;

 private:
  Board board_;
};
OCTAVO_REMOTE(Callee, hold, nothing, large, pid)

class Caller {
 public:
  explicit Caller(const std::string& board) : board_(board) {}
  // "answered", "timed out", or the error's text with its kind before it.
  std::string work(const remote_ptr<Callee>& callee, stage s, int patience_ms);
  int pid() const;

 private:
  Board board_;
};
OCTAVO_REMOTE(Caller, work, pid)

class Scene {
 public:
  // `silence`: after which the other machine is lost. `patience`: of the caller, once it waits.
  Scene(scene_place place, stage s, std::chrono::milliseconds patience = std::chrono::hours(1), std::chrono::milliseconds silence = std::chrono::seconds(10));
  ~Scene();
  Scene(const Scene&) = delete;
  Scene& operator=(const Scene&) = delete;

  void reach();
  void let_caller_wait();
  void let_callee_go();
  [[nodiscard]] int pid_of(victim v) const;
  [[nodiscard]] std::vector<int> pids() const;  // of all but the program

 private:
  std::filesystem::path home_;
  stage stage_;
  std::chrono::milliseconds patience_;
  Board board_;
  Runtime runtime_;

 public:
  remote_ptr<Callee> callee;
  remote_ptr<Caller> caller;
  future<std::string> outcome;  // of the caller's call
  future<std::size_t> held;     // of the program's, behind which that of the caller is queued; valid only then

 private:
  std::vector<ProcessFacts> facts_;
};

}  // namespace octavo::kit
