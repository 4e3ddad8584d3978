// SPDX-License-Identifier: Apache-2.0
#include "machine/agent_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "machine/spawn.hpp"
#include "octavo/machine/agent.hpp"

namespace octavo {

void be_agent_if_asked() {
  const char* asked = std::getenv(agent_variable);
  if (asked == nullptr) return;
  std::string machine = asked;
  ::unsetenv(agent_variable);
  ::fcntl(spawn::control_descriptor, F_SETFD, FD_CLOEXEC);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // it plays a machine of the program that started it
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  try {
    AgentOptions options;
    options.machine = machine;
    Agent agent(options, road::open_unix_link(Fd(spawn::control_descriptor)));
    agent.wait();
  } catch (const std::exception& e) {
    std::fprintf(stderr, "octavo: the agent of %s: %s\n", machine.c_str(), e.what());
    std::_Exit(1);
  }
  std::_Exit(0);
}

}  // namespace octavo
