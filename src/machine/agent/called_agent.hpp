// SPDX-License-Identifier: Apache-2.0
// The agent that a command has started on its machine (machine/ssh.hpp). It says so on its standard output, is told by its standard input whom to call, and
// calls again whenever the connection breaks.
#pragma once

namespace octavo::agent {

// Returns when its link or its standard input has ended. Throws refused, io_error; gone_error where it never reached its program.
void be_called();

}  // namespace octavo::agent
