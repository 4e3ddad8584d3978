// SPDX-License-Identifier: Apache-2.0
// The agent that a command has started on its machine (machine/ssh.hpp, machine/slurm.hpp). It says so on its standard output, is told by its standard input
// whom to call, and when, and calls again whenever the connection breaks.
#pragma once

#include <string>

namespace octavo::agent {

// Returns when its link or its standard input has ended. `named_by`: the variable that says which machine this is; empty: its command runs no other agent.
// False: it was told to end by SIGTERM, and has ended its objects in order. Throws refused, io_error; gone_error where it never reached its program.
bool be_called(const std::string& named_by);

}  // namespace octavo::agent
