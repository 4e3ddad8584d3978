// SPDX-License-Identifier: Apache-2.0
// A command that runs agents on other machines (launcher.hpp), from its start to its end, and a thread that listens to it: once every agent has said that it
// is one (hail.hpp) they are told whom to call, and each, when it is wanted, to begin. What they write goes to this process's own standard output and error.
//
//   AgentCommand command(launcher, {.patience = ..., .call_patience = ..., .invite = ..., .agents = {{.machine = "n1", .called = ..., .give_up = ...}}});
//   command.begin("n1");
//   command.ask_to_end();     // the agents' links have been closed
//   command.end();
//
// AC-1  Nothing is told before every agent of the command has said its line; where one does not within `patience`, it is named, and all are given up.
// AC-2  An agent that is wanted has `call_patience` to call, from when it was told to.
// AC-3  An agent is given up once: because it does not call, because its end was heard of, or because the command has ended.
// AC-4  Where its link goes by the command itself, the command's output and input are brought to the listener as soon as it was told to begin: it reads and
//       writes nothing else there, and what its objects print comes by the command's standard error.
//
// Threading: one thread; what it is given is called on its own.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "machine/engine/hail.hpp"
#include "machine/engine/launcher.hpp"
#include "machine/error_lines.hpp"
#include "octavo/road/doorbell.hpp"

namespace octavo::engine {

class AgentCommand {
 public:
  struct Agent {
    std::string machine;
    std::function<bool()> called;
    std::function<void(const std::string& why)> give_up;  // once: it has ended, or there will be no agent
  };
  struct Plan {
    std::string place;                        // for messages: where agents are to call
    std::chrono::milliseconds patience;       // AC-1
    std::chrono::milliseconds call_patience;  // AC-2
    std::function<void(int input)> invite;
    std::function<void(Fd from, Fd to)> bring;  // AC-4; none: agents call
    std::vector<Agent> agents;
  };
  AgentCommand(Launcher& launcher, Plan plan);
  ~AgentCommand();  // ends it

  void begin(const std::string& machine);
  // Its agents know by their links that the program ends; where none has called, the command is ended.
  void ask_to_end();
  // Returns when it has ended; it is killed if it does not.
  void end();

 private:
  enum class stage : std::uint8_t { asked, answered, begun, called, given_up };
  struct State {
    Agent agent;
    std::uint32_t index = 0;
    stage at = stage::asked;
    std::atomic<bool> wanted{false};
    road::Deadline until = road::never;
  };
  void run();
  bool listen();  // false: it has ended
  void hear_the_end();
  void hear_output(bool all);
  void hear(std::string_view text);
  void hear(const Labelled& piece);
  void hear_agent(const Hearing& hearing);
  void hear_errors(bool all);
  void hear_error_lines(std::string_view text);
  void invite_all();
  void begin_wanted();
  [[nodiscard]] std::string cure() const;
  void look_at_clock();
  void look_at(State& agent);
  void give_up(State& agent, const std::string& why);
  void give_up_all(const std::string& why);
  [[nodiscard]] std::string silent() const;  // the machines whose agents have not answered
  [[nodiscard]] std::string said() const;    // "; its last lines: ..."
  [[nodiscard]] std::string how_it_ended() const;
  [[nodiscard]] int most_ms() const;
  void wake() const;

  const Launcher& launcher_;
  const std::string name_;
  spawn::Command run_;
  Plan plan_;
  const road::Deadline until_;
  Fd event_;
  std::atomic<bool> ending_{false}, link_tells_{false};
  struct Heard {
    Hearing hearing;
    bool is_agent = false;
  };
  bool invited_ = false, has_called_ = false;
  std::vector<std::unique_ptr<State>> agents_;
  std::map<std::string, Heard, std::less<>> heard_;  // by label
  std::string line_, error_line_;                    // that has not ended
  TextOut output_{STDOUT_FILENO}, errors_{STDERR_FILENO};
  std::string last_errors_;  // of what it wrote to standard error
  std::string greeting_;     // what a login said
  std::thread thread_;
};

}  // namespace octavo::engine
