// SPDX-License-Identifier: Apache-2.0
// Starting the program of a process, and what the child finds.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "octavo/base/fd.hpp"
#include "road/net/running_command.hpp"

namespace octavo::spawn {

// The child's control socket has this number; the variable says so to the program's Runtime. Of a fork it says more: its fork server has looked at its threads.
inline constexpr int control_descriptor = 3;
inline constexpr const char* server_variable = "OCTAVO_SERVER";
inline constexpr const char* forked_server = "3 forked";
// So is a fork server's (octavo/machine/fork_server.hpp), which this variable tells what it is.
inline constexpr const char* fork_server_variable = "OCTAVO_FORKS";
// How a program is told to be an agent and nothing else: "call", or "call VARIABLE", which says which machine it is; "play TERMS NAME" (agent_main.hpp), its
// link at control_descriptor; or "last NAME", there a pipe to say that it listens; its home is the working directory.
inline constexpr const char* agent_variable = "OCTAVO_AGENT";
// So is a sweeper (machine/sweeper): "MARK PID", of its agent.
inline constexpr const char* sweeper_variable = "OCTAVO_SWEEPER";

struct Started {
  pid_t pid = -1;
  Fd pidfd;
  Fd control;              // our end
  Fd error_lines;          // what it writes to standard error
  std::uint64_t mark = 0;  // that it is to put on (machine/sweeper/mark.hpp); 0: none
};

// What a child is given, and what its agent keeps: without a process yet.
struct Ends {
  Started ours;
  Fd control, errors;
};
Ends make_ends(const std::string& doing);

// Runs `command` with `title` as its last argument. Throws io_error naming the program.
// In `directory` and with `environment` ("NAME=value"), where they are given.
Started start(const std::vector<std::string>& command, const std::string& title, const std::string& directory, const std::vector<std::string>& environment);
using Start = std::function<Started(const std::vector<std::string>& command, const std::string& title, const std::string& directory,
                                    const std::vector<std::string>& environment)>;
// Runs `command` as a fork server (octavo/machine/fork_server.hpp); its standard error is this program's.
Started start_fork_server(const std::vector<std::string>& command, const std::vector<std::string>& environment);
// Runs octavo-server, or this program, as the sweeper of the agent with this mark, in a session of its own: what ends a terminal or a group of processes does
// not end it. What it reads is written to `control`.
Started start_sweeper(std::uint64_t agent);
// All of this program's variables but what it was told by.
std::vector<std::string> variables_of_ours();
// Ends a process that nobody has heard of, and reaps it.
void discard(const Started& started) noexcept;
// Returns when this child has ended; reap_soon() sends `or_kill` (the process, or -group) SIGKILL after some seconds.
void reap(pid_t pid) noexcept;
void reap_soon(pid_t pid, const Fd& pidfd, pid_t or_kill) noexcept;
// Those of this program's variables that an object keeps that outlives it (kept_variables.hpp), without what is too large to keep, which a log
// line names.
std::vector<std::string> own_environment();
// Runs `program` as the agent of `machine`, in `home`, with its link at control_descriptor, told to be one by `how`.
pid_t start_agent(const std::string& program, const std::string& how, const std::string& machine, const std::string& home, const Fd& link);

// A command that runs an agent elsewhere: ssh, or its like. Searched in PATH, in a process group of its own (Ctrl-C is the program's affair).
using Command = RunningCommand;
// `leave_out`: those of this program's variables that it does not get, by name.
Command run_command(const std::vector<std::string>& command, const std::function<bool(std::string_view name)>& leave_out = {});

// Runs `program` as the lasting agent of `machine` in `home`; returns when it listens there, or has found that another does. Throws io_error.
void run_lasting_agent(const std::string& program, const std::string& machine, const std::string& home);

// This program's own executable; the octavo-server that belongs to this library (empty: not found).
std::string own_program();
std::string server_program();

}  // namespace octavo::spawn
