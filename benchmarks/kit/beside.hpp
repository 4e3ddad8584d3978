// SPDX-License-Identifier: Apache-2.0
// What is measured between two processes of which one is a copy of this program: each on a processor of its own.
#pragma once

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <exception>
#include <string>
#include <system_error>

#include "kit/pinned.hpp"

namespace bench {

// What `here` says, while `there` runs in the copy. A copy of a program with threads: `there` had better not allocate. `what` it does, for an error.
template <class There, class Here>
double beside(There there, Here here, const std::string& what) {
  const PinnedHere pinned;
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "starting the process that " + what);
  if (child == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    pin_there();
    try {
      there();
    } catch (const std::exception&) {  // the other side says the same
    }
    ::_exit(0);
  }
  const double said = here();
  ::waitpid(child, nullptr, 0);
  return said;
}

}  // namespace bench
