// SPDX-License-Identifier: Apache-2.0
// A command that runs an agent on another machine, from its start to its end, and a thread that listens to it: the agent there is told whom to call once
// it has said that it is an agent (hail.hpp); what the command writes goes to this process's own standard output and error.
//
//   Launcher launcher(spawn::run_command(command), {.command = "ssh", .until = ..., .invite = ..., .called = ..., .give_up = ...});
//   launcher.ask_to_end();     // its agent's link has been closed
//   launcher.end();
//
// Threading: one thread; what it is given is called on its own.
#pragma once

#include <atomic>
#include <functional>
#include <string>
#include <thread>

#include "machine/engine/hail.hpp"
#include "machine/error_lines.hpp"
#include "machine/spawn.hpp"
#include "octavo/road/doorbell.hpp"

namespace octavo::engine {

class Launcher {
 public:
  struct Plan {
    std::string command, place;          // for messages: what runs, and where its agent is to call
    std::chrono::milliseconds patience;  // from here until its agent calls
    std::function<void(int input)> invite;
    std::function<bool()> called;
    std::function<void(const std::string& why)> give_up;  // once: it has ended, or there will be no agent
  };
  Launcher(spawn::Command run, Plan plan);
  ~Launcher();  // ends it

  // Its agent knows by its link that the program ends; without one, the command is ended.
  void ask_to_end();
  // Returns when it has ended; it is killed if it does not.
  void end();

 private:
  enum class stage : std::uint8_t { asked, invited, called, given_up };
  void run();
  bool listen();  // false: it has ended
  void hear_the_end();
  void hear_output(bool all);
  void hear(std::string_view text);
  void look_at_clock();
  void give_up(const std::string& why);
  [[nodiscard]] std::string said() const;  // "; its last lines: ..."
  [[nodiscard]] std::string how_it_ended() const;
  [[nodiscard]] int most_ms() const;

  spawn::Command run_;
  Plan plan_;
  const road::Deadline until_;
  Fd event_;
  std::atomic<bool> ending_{false}, link_tells_{false};
  stage stage_ = stage::asked;
  Hearing hearing_;
  TextOut output_{STDOUT_FILENO}, errors_{STDERR_FILENO};
  ErrorLines error_lines_;
  std::string greeting_;  // what a login said
  std::thread thread_;
};

}  // namespace octavo::engine
