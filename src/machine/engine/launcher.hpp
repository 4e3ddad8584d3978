// SPDX-License-Identifier: Apache-2.0
// What starts agents on machines, for a CalledEngine (called_engine.hpp): a command that runs there what follows it, with its standard input, output and
// error. That of ssh is for one machine, srun for all at once.
//
//   class Here final : public Launcher {                    // each "machine" is this one
//     spawn::Command launch(const std::vector<std::string>&) override { return spawn::run_command({"env", agent_told("call"), program}); }
//     std::string name() const override { return "env"; }
//   };
//
// LA-1  launch() begins what runs an agent of each of these machines, and returns without waiting. The command ends when its agents have; it is ended by the
//       end of its input, by SIGTERM to its group, or by SIGKILL.
// LA-2  Where it runs several (all_at_once), each agent says in its answer which it is, and what they write comes in lines that begin with a label.
// LA-3  What else tells of an agent's end, a line of the command's standard error, ended() knows.
// LA-4  end() is called once, when all its commands have ended: it takes away what it has made on the machines.
// Threading: launch() and end() by one thread, the rest by any.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "machine/spawn.hpp"

namespace octavo::engine {

// A line, or piece of one, of what a command's agents write.
struct Labelled {
  std::string_view label, text;
};

class Launcher {
 public:
  virtual ~Launcher() = default;
  // For messages: what runs.
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual spawn::Command launch(const std::vector<std::string>& machines) = 0;
  // The first agent that is wanted begins all; one that is wanted again begins alone.
  [[nodiscard]] virtual bool all_at_once() const { return false; }
  // The label of a line; of several machines.
  [[nodiscard]] virtual Labelled labelled(std::string_view line) const { return {{}, line}; }
  // The machines whose agents have ended, as a line of the command's standard error says.
  [[nodiscard]] virtual std::vector<std::string> ended(std::string_view /*line*/) const { return {}; }
  virtual void end() {}
};

// The program that is an agent, where `chosen` names none: octavo-server, or this program. Throws usage_error for a path that a shell would not take as it is.
std::string agent_program(const std::string& chosen);
// The assignment, for env, that tells it to be one: "OCTAVO_AGENT=call".
std::string agent_told(const std::string& how);
// What goes through a remote shell unquoted, and through env: no pattern, no assignment.
bool is_plain(std::string_view word);

}  // namespace octavo::engine
