// SPDX-License-Identifier: Apache-2.0
#include "machine/sweeper/sweeper_main.hpp"

#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <span>

#include "machine/spawn.hpp"
#include "machine/sweeper/sweep.hpp"
#include "octavo/base/fd.hpp"

namespace octavo {

namespace {

// What ends a terminal, or a job, ends the program: then there is most to do.
void outlive_program() {
  for (const int each : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) std::signal(each, SIG_IGN);
  sweeper::put_on(sweeper::none);  // an object may have started the program, and its end is not this one's
  [[maybe_unused]] const int root = ::chdir("/");
}

// Of all that have ended meanwhile, in one look. False: the agent says no more.
bool hear() {
  std::array<sweeper::Mark, 512> ended{};
  ssize_t n = 0;
  while ((n = ::read(spawn::control_descriptor, ended.data(), sizeof ended)) < 0 && errno == EINTR) {}
  const auto marks = std::span(ended).first(n > 0 ? static_cast<std::size_t>(n) / sizeof(sweeper::Mark) : 0);
  if (marks.empty() || std::find(marks.begin(), marks.end(), sweeper::none) != marks.end()) return false;
  sweeper::sweep(marks, sweeper::whole);
  return true;
}

// Its end of the pipe may be held by a process that was forked off it, hence the pidfd, too.
void serve(pid_t agent) {
  const Fd agents_end(static_cast<int>(::syscall(SYS_pidfd_open, agent, 0)));
  std::array<pollfd, 2> ends{pollfd{spawn::control_descriptor, POLLIN, 0}, pollfd{agents_end.get(), POLLIN, 0}};
  if (!agents_end || ::getppid() != agent) return;
  for (;;) {
    if (::poll(ends.data(), ends.size(), -1) < 0 && errno != EINTR) return;
    if (ends[1].revents != 0 || (ends[0].revents != 0 && !hear())) return;
  }
}

}  // namespace

void be_sweeper_if_asked() {
  const char* asked = std::getenv(spawn::sweeper_variable);
  if (asked == nullptr) return;
  char* rest = nullptr;
  const sweeper::Mark mark = std::strtoull(asked, &rest, 10);
  const auto agent = static_cast<pid_t>(std::atoi(rest));
  outlive_program();
  serve(agent);
  std::_Exit(sweeper::sweep({&mark, 1}, sweeper::of_agent) ? 0 : 1);
}

}  // namespace octavo
