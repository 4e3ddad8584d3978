// SPDX-License-Identifier: Apache-2.0
#include "octavo/machine/fork_server.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "machine/forking/clone.hpp"
#include "machine/forking/messages.hpp"
#include "machine/host/entries.hpp"
#include "machine/spawn.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

void call(const std::function<void()>& hook) {
  if (hook) hook();
}

bool has_one_thread() { return entries_of("/proc/self/task") == 1; }

// Libraries that have threads (OpenBLAS) end them in the handlers of a fork, and start them again when they need them.
void end_threads_of_libraries() {
  if (has_one_thread()) return;
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(0);
  if (pid > 0) spawn::reap(pid);
}

// The descriptors of a fork are where those of a started program are; all others end with the request.
void become(const forking::Request& request) {
  const std::string number = std::to_string(spawn::control_descriptor);
  const bool done = ::dup2(request.control.get(), spawn::control_descriptor) >= 0 && ::dup2(request.errors.get(), STDERR_FILENO) >= 0 &&
                    ::fchdir(request.directory.get()) == 0 && ::setenv(spawn::server_variable, number.c_str(), 1) == 0;
  if (!done) {
    std::perror("octavo: a fork cannot become a server");
    std::_Exit(1);
  }
  forking::show_title(request.title);
}

// True in the fork.
bool fork_once(const forking::Request& request, const ForkHooks& hooks, int socket) {
  if (!has_one_thread()) {
    forking::send(socket, {-1, EBUSY}, {});
    return false;
  }
  call(hooks.before);
  Fd pidfd;
  const pid_t pid = forking::fork_as_sibling(pidfd);
  if (pid == 0) {
    become(request);
    call(hooks.in_fork);
    return true;
  }
  call(hooks.in_server);
  forking::send(socket, {pid, pid < 0 ? -pid : 0}, pidfd);
  return false;
}

}  // namespace

bool serve_forks_if_asked(const ForkHooks& hooks) {
  const char* asked = std::getenv(spawn::fork_server_variable);
  if (asked == nullptr) return false;
  Fd socket(std::atoi(asked));
  ::unsetenv(spawn::fork_server_variable);
  ::fcntl(socket.get(), F_SETFD, FD_CLOEXEC);
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGINT, SIG_IGN);  // the program decides
  std::signal(SIGPIPE, SIG_IGN);
  end_threads_of_libraries();
  try {
    for (forking::Request request; forking::receive(socket.get(), request); request = {})
      if (fork_once(request, hooks, socket.get())) {
        static_cast<void>(socket.release());  // its number is the fork's control socket now
        return true;
      }
  } catch (const io_error& e) {
    std::fprintf(stderr, "octavo: %s\n", e.what());
  }
  std::_Exit(0);
}

}  // namespace octavo
