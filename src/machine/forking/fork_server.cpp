// SPDX-License-Identifier: Apache-2.0
#include "octavo/machine/fork_server.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
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
#include "octavo/machine/detail/interrupts.hpp"

namespace octavo {

namespace {

void call(const std::function<void()>& hook) {
  if (hook) hook();
}

// Libraries that have threads (OpenBLAS) end them in the handlers of a fork, and start them again when they need them.
void end_threads_of_libraries() {
  if (has_one_thread()) return;
  const pid_t pid = ::fork();
  if (pid == 0) ::_exit(0);
  if (pid > 0) spawn::reap(pid);
}

[[noreturn]] void end_fork(const char* why) {
  std::perror(why);
  std::_Exit(1);
}

// The descriptors of a fork are where those of a started program are; all others end with the request. It ends with its agent, also while it is a spare.
void become(const forking::Request& request, pid_t agent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != agent) std::_Exit(0);
  if (::dup2(request.control.get(), spawn::control_descriptor) < 0 || ::dup2(request.errors.get(), STDERR_FILENO) < 0)
    end_fork("octavo: a fork cannot become a server");
}

bool has_come(int socket) {
  pollfd one{socket, POLLIN, 0};
  return ::poll(&one, 1, 0) > 0;
}

// What the forks have of the program that was started.
struct Origin {
  forking::Title title;
  pid_t agent = ::getppid();
  int policy = ::sched_getscheduler(0);
};

// Waits until the fork is told what it is for, and does meanwhile what can be done ahead.
void take_task(const Origin& from, const ForkHooks& hooks) {
  if (!has_come(spawn::control_descriptor)) {
    from.title.show("octavo: a spare, waits for the next object that is made in a process of its own");
    call(hooks.in_spare);
  }
  const sched_param none{};
  if (::sched_getscheduler(0) != from.policy) ::sched_setscheduler(0, from.policy, &none);  // spares are forked with less urgency
  forking::Task task;
  if (!forking::receive(spawn::control_descriptor, task)) std::_Exit(0);
  if (::fchdir(task.directory.get()) != 0) end_fork("octavo: a fork cannot go to the directory of its program");
  if (task.output && ::dup2(task.output.get(), STDOUT_FILENO) < 0) end_fork("octavo: a fork cannot have the output of its program");
  forking::apply(task.changes);
  if (!task.changes.empty() && hooks.environment_changed) hooks.environment_changed(task.changes);
  from.title.show(task.title);
}

// True in the fork.
bool fork_once(const forking::Request& request, const ForkHooks& hooks, const Origin& from, int socket) {
  if (!has_one_thread()) {
    forking::send(socket, {-1, EBUSY}, {});
    return false;
  }
  call(hooks.before);
  Fd pidfd;
  const pid_t pid = forking::fork_as_sibling(pidfd);
  if (pid == 0) {
    become(request, from.agent);
    call(hooks.in_fork);
    take_task(from, hooks);
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
  detail::leave_interrupts_to_program();
  detail::leave_end_of_job_to_agent();
  std::signal(SIGPIPE, SIG_IGN);
  end_threads_of_libraries();
  ::setenv(spawn::server_variable, spawn::forked_server, 1);  // of the forks
  const Origin from;
  try {
    for (forking::Request request; forking::receive(socket.get(), request); request = {})
      if (fork_once(request, hooks, from, socket.get())) {
        static_cast<void>(socket.release());  // its number is the fork's control socket now
        return true;
      }
  } catch (const io_error& e) {
    std::fprintf(stderr, "octavo: %s\n", e.what());
  }
  std::_Exit(0);
}

}  // namespace octavo
