// SPDX-License-Identifier: Apache-2.0
// A command that runs beside this program, in a process group of its own, with pipes to its standard input, output and error. Its owner reaps it.
#pragma once

#include <sys/types.h>

#include "octavo/base/fd.hpp"

namespace octavo {

struct RunningCommand {
  pid_t pid = -1;
  Fd pidfd, input;    // its standard input is read from `input`
  Fd output, errors;  // what it writes to standard output, and error; neither waits
};

}  // namespace octavo
