// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/children/spares.hpp"

#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "machine/agent/common/attempt.hpp"

namespace octavo::agent {

namespace {

// By its pidfd, as the program may have reaped it, and its number be another's.
void kill(const spawn::Started& run) noexcept { ::syscall(SYS_pidfd_send_signal, run.pidfd.get(), SIGKILL, nullptr, 0); }

void reap(const Fd& pidfd) noexcept {
  siginfo_t how{};
  while (::waitid(P_PIDFD, static_cast<id_t>(pidfd.get()), &how, WEXITED) != 0 && errno == EINTR) {}
}

// It is neither stopped nor dead. Not by /proc: an entry there of a process makes its end dearer.
bool can_begin(const spawn::Started& run) {
  siginfo_t how{};
  if (::waitid(P_PIDFD, static_cast<id_t>(run.pidfd.get()), &how, WEXITED | WSTOPPED | WNOHANG | WNOWAIT) != 0) return errno != ECHILD;
  return how.si_pid == 0;
}

}  // namespace

Spares::~Spares() {
  keep(0);
  for (const auto& each : ending_) {
    events_.unwatch(each.pidfd.get());
    reap(each.pidfd);
  }
}

void Spares::add(spawn::Started run) {
  const int pidfd = run.pidfd.get();
  try {
    events_.watch(pidfd, [this, pidfd](std::uint32_t) { hear_end(pidfd); });
    waiting_.push_back(std::move(run));
  } catch (...) {
    events_.unwatch(pidfd);
    kill(run);
    reap(run.pidfd);
    throw;
  }
}

std::optional<spawn::Started> Spares::take(const forking::Task& task) {
  while (!waiting_.empty()) {
    auto first = std::move(waiting_.front());
    waiting_.pop_front();
    bool told = false;
    attempt("giving a spare its task", [&] { told = can_begin(first) && forking::send(first.control.get(), task); });
    if (told) {
      events_.unwatch(first.pidfd.get());
      return first;
    }
    end(std::move(first));
  }
  return std::nullopt;
}

void Spares::keep(std::size_t most) {
  while (waiting_.size() > most) {
    auto first = std::move(waiting_.front());
    waiting_.pop_front();
    end(std::move(first));
  }
}

// Its pidfd tells when it can be reaped.
void Spares::end(spawn::Started run) {
  kill(run);
  ending_.push_back(std::move(run));
}

void Spares::hear_end(int pidfd) {
  const auto is_it = [pidfd](const spawn::Started& each) { return each.pidfd.get() == pidfd; };
  events_.unwatch(pidfd);
  if (const auto it = std::find_if(waiting_.begin(), waiting_.end(), is_it); it != waiting_.end()) {
    reap(it->pidfd);
    waiting_.erase(it);
    lost_ = true;
  } else if (const auto ended = std::find_if(ending_.begin(), ending_.end(), is_it); ended != ending_.end()) {
    reap(ended->pidfd);
    ending_.erase(ended);
  }
}

}  // namespace octavo::agent
