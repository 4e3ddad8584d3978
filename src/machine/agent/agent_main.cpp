// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/agent_main.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "machine/agent/called_agent.hpp"
#include "machine/agent/played_agent.hpp"
#include "machine/host/host_name.hpp"
#include "machine/lasting/daemon.hpp"
#include "machine/spawn.hpp"
#include "machine/sweeper/mark.hpp"
#include "octavo/machine/agent.hpp"
#include "octavo/machine/detail/interrupts.hpp"

namespace octavo {

namespace {

// The daemon outlives the process that started it, which waits only for the byte that says that the daemon listens.
void be_lasting(const std::string& machine) {
  sweeper::put_on(sweeper::none);  // an object may have started the program that starts it, and its end is not this one's
  if (::fork() != 0) std::_Exit(0);
  Fd say(spawn::control_descriptor);
  daemon::Seat seat;
  bool mine = daemon::take_seat(".", seat);
  AgentOptions options;
  options.machine = machine;
  options.home = ".";
  sigset_t ends;
  sigemptyset(&ends);
  for (int signal : {SIGTERM, SIGHUP}) sigaddset(&ends, signal);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
  auto tell = [&] {
    [[maybe_unused]] auto n = ::write(say.get(), "1", 1);
    say.reset();
  };
  if (!mine) return tell();
  Agent agent(options, std::move(seat.listening));
  tell();
  std::thread([&] {
    int signal = 0;
    sigwait(&ends, &signal);
    agent.retire();
  }).detach();
  agent.wait();
}

}  // namespace

void be_agent_if_asked() {
  constexpr int ended_by_sigterm = 128 + SIGTERM;  // so that the command which runs it tells of its end
  const char* asked = std::getenv(spawn::agent_variable);
  if (asked == nullptr) return;
  const std::string how = asked;
  ::unsetenv(spawn::agent_variable);
  constexpr std::string_view call = "call", call_as = "call ";
  const bool called = how == call || how.starts_with(call_as);
  if (!called) ::fcntl(spawn::control_descriptor, F_SETFD, FD_CLOEXEC);
  detail::leave_interrupts_to_program();
  std::signal(SIGPIPE, SIG_IGN);
  try {
    if (called && !agent::be_called(how.substr(std::min(how.size(), call_as.size())))) std::_Exit(ended_by_sigterm);
    else if (called) std::_Exit(0);
    else if (how.starts_with("last ")) be_lasting(how.substr(5));
    else agent::be_played(how);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "octavo: the agent of %s: %s\n", host_name().c_str(), e.what());
    std::_Exit(1);
  }
  std::_Exit(0);
}

}  // namespace octavo
