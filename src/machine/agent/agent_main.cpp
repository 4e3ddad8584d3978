// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/agent_main.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "machine/engine/invitation.hpp"
#include "machine/lasting/daemon.hpp"
#include "machine/spawn.hpp"
#include "octavo/machine/agent.hpp"
#include "octavo/road/steady_link.hpp"
#include "octavo/road/tls_link.hpp"

namespace octavo {

namespace {

void play(const std::string& machine) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // it plays a machine of the program that started it
  AgentOptions options;
  options.machine = machine;
  options.home = "names";
  Agent agent(options, road::open_unix_link(Fd(spawn::control_descriptor)));
  agent.wait();
}

// A command started it on its machine. It calls whom its standard input names, again whenever the connection breaks, and ends when that input does.
void call() {
  road::ClusterKey key = road::ClusterKey::make();
  auto said = engine::read(STDIN_FILENO, key);
  road::Session session;
  session.id = said.session;
  AgentOptions options;
  options.machine = said.machine;
  options.silence = std::chrono::milliseconds(said.silence_ms);
  road::TlsOptions carrier{.silence = engine::carrier_silence(options.silence)};
  auto link = std::make_unique<road::SteadyLink>(
      session, [=] { return road::connect_tls(said.address, said.port, key, road::Clock::now() + carrier.silence, carrier); });
  std::thread([carriers = link->carriers()] {
    std::array<char, 64> nothing;
    for (ssize_t n = 1; n > 0 || (n < 0 && errno == EINTR);) n = ::read(STDIN_FILENO, nothing.data(), nothing.size());
    carriers->fail("the program has ended");
  }).detach();
  Agent agent(options, std::move(link));
  agent.wait();
}

// The daemon outlives the process that started it, which waits only for the byte that says that the daemon listens.
void be_lasting(const std::string& machine) {
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
  const char* asked = std::getenv(spawn::agent_variable);
  if (asked == nullptr) return;
  std::string how = asked, machine = how.substr(std::min<std::size_t>(how.size(), 5));
  ::unsetenv(spawn::agent_variable);
  if (how != "call") ::fcntl(spawn::control_descriptor, F_SETFD, FD_CLOEXEC);
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  try {
    if (how == "call") call();
    else if (how.starts_with("last ")) be_lasting(machine);
    else play(machine);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "octavo: the agent of %s: %s\n", machine.c_str(), e.what());
    std::_Exit(1);
  }
  std::_Exit(0);
}

}  // namespace octavo
