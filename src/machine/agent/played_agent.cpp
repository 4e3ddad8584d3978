// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/played_agent.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <thread>

#include "machine/agent/siblings/link_ways.hpp"
#include "machine/engine/played_role.hpp"
#include "machine/spawn.hpp"
#include "octavo/machine/agent.hpp"

namespace octavo::agent {

namespace {

constexpr int most_end_ms = 5000;

// The program that it plays a machine for. The agent outlives a killed one, to leave nothing of it behind.
class Program {
 public:
  explicit Program(pid_t pid) : pidfd_(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))) {
    sigset_t its;
    sigemptyset(&its);
    sigaddset(&its, engine::ends_in_order_signal);
    pthread_sigmask(SIG_BLOCK, &its, nullptr);  // before there is a thread
    in_order_.reset(::signalfd(-1, &its, SFD_CLOEXEC));
    if (::getppid() != pid) pidfd_.reset();
  }
  // Processes that the program has forked have an end of the link, too: they hold nothing up.
  void end_link_with_it() const {
    if (!pidfd_) return static_cast<void>(::shutdown(spawn::control_descriptor, SHUT_RDWR));
    std::thread([pidfd = pidfd_.get()] {
      pollfd gone{pidfd, POLLIN, 0};
      while (::poll(&gone, 1, -1) != 1) {}
      ::shutdown(spawn::control_descriptor, SHUT_RDWR);
    }).detach();
  }
  // The link has ended: because it was killed, or because it ends in order, or has given this machine up.
  [[nodiscard]] bool was_killed() const {
    if (!pidfd_) return true;
    std::array<pollfd, 2> either{{{pidfd_.get(), POLLIN, 0}, {in_order_.get(), POLLIN, 0}}};
    ::poll(either.data(), either.size(), most_end_ms);
    return either[0].revents != 0;
  }

 private:
  Fd pidfd_, in_order_;  // no pidfd: it was gone already
};

void serve(const engine::PlayedRole& role) {
  AgentOptions options;
  options.machine = role.machine;
  options.home = "names";
  options.pool_bytes = role.terms.pool_bytes;
  options.ring_bytes = role.terms.ring_bytes;
  options.silence = role.terms.silence;
  auto siblings = std::make_shared<LinkWays>(
      LinkWays::Terms{.place = [] { return std::string("unix://"); }, .key = road::ClusterKey::make(), .silence = role.terms.silence, .machine = role.machine});
  Agent agent(options, road::open_unix_link(Fd(spawn::control_descriptor)), std::move(siblings));
  agent.wait();
}

// What ends a terminal, or a group of processes, reaches the program, too: this agent ends when it does, and leaves nothing of it behind. Before there is a
// thread; what the agent starts has them again.
void leave_ends_to_program() {
  sigset_t ends;
  sigemptyset(&ends);
  for (const int each : {SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&ends, each);
  pthread_sigmask(SIG_BLOCK, &ends, nullptr);
}

// The directory of all the machines that the program played: each agent tries, when its own objects have ended, and the last succeeds.
void remove_directory(const std::filesystem::path& directory) {
  if (!directory.filename().string().starts_with("octavo-played-")) return;
  std::error_code failed;
  std::filesystem::remove_all(directory, failed);
}

}  // namespace

void be_played(const std::string& text) {
  const auto role = engine::played_role(text);
  if (role.program == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    return serve(role);
  }
  ::prctl(PR_SET_PDEATHSIG, SIGCONT);  // one that is stopped goes on, and finds its program gone
  leave_ends_to_program();
  const auto directory = std::filesystem::current_path().parent_path();
  const Program program(role.program);
  program.end_link_with_it();
  serve(role);
  if (program.was_killed()) remove_directory(directory);
}

}  // namespace octavo::agent
