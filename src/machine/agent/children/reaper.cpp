// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/children/reaper.hpp"

#include <poll.h>
#include <sys/wait.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "base/delay_point.hpp"
#include "machine/agent/common/attempt.hpp"
#include "machine/obituary.hpp"
#include "octavo/base/clock.hpp"

namespace octavo::agent {

Reaper::Reaper(Children& children, StatusBoard& board, Status status, Events told)
    : children_(children), board_(board), status_(std::move(status)), told_(std::move(told)) {}

std::optional<int> Reaper::status_of(const Fd& pidfd) {
  siginfo_t how{};
  int done = 0;
  while ((done = ::waitid(P_PIDFD, static_cast<id_t>(pidfd.get()), &how, WEXITED | WNOHANG)) != 0 && errno == EINTR) {}
  if (done != 0) return status_taken;  // the program reaps every child it has, or ignores SIGCHLD
  if (how.si_pid == 0) return std::nullopt;
  return how.si_code == CLD_EXITED ? W_EXITCODE(how.si_status, 0) : how.si_status;
}

void Reaper::reap(Child& child) {
  delay_point("agent: about to reap");
  board_.leave(child.slot);  // before its pid can be another's
  if (!child.status) child.status = status_(child.run.pidfd);
  if (!child.status) return;  // it has not ended
  // A Bye may still lie in the socket, and last words in the pipe.
  hear_last_words(child);
  if (child.run.error_lines) children_.pass_on_last_lines(child);
  Obituary obituary{child.facts, now_seconds(), *child.status, false, child.lines.last(), {}, false};
  obituary.destroyed = child.said_bye && !child.resting;
  obituary.resting = child.said_bye && child.resting;
  delay_point("agent: about to enter a death");
  enter(obituary);
  reap_threads_of(obituary.facts.address.object, obituary);
}

// Reads what the dead process left in its control socket: a fork of it may hold the other end, and it may have written anything.
void Reaper::hear_last_words(Child& child) {
  for (bool more = true; more;)
    attempt("the last words of " + child.facts.class_name, [&] {
      control::Received received;
      more = control::receive_now(child.run.control.get(), received) == control::heard::notice;
      if (more) told_.last_word(child, received.notice);
    });
}

// The process of this object has ended; the agent may not have reaped it yet.
bool Reaper::has_ended(std::uint64_t host) const {
  const Child* child = children_.find(host);
  if (child == nullptr) return false;
  pollfd end{child->run.pidfd.get(), POLLIN, 0};
  return ::poll(&end, 1, 0) > 0;
}

// The end of its control socket is all the agent sees of an object on a thread. Without a Bye either its process ended, whose pidfd is about to say how, or
// the thread could not begin.
void Reaper::reap_thread(Child& child) {
  constexpr auto time_to_end = std::chrono::seconds(1);  // the descriptors of a process are closed before its end can be seen
  const bool may_end = !child.said_bye && child.host != 1 && children_.find(child.host) != nullptr;
  if (may_end) {
    const auto since = silent_threads_.try_emplace(child.facts.address.object, std::chrono::steady_clock::now()).first->second;
    if (has_ended(child.host) || std::chrono::steady_clock::now() < since + time_to_end) return;  // reaped with its host, whose end says more
  }
  silent_threads_.erase(child.facts.address.object);
  enter({child.facts, now_seconds(), child.said_bye ? 0 : W_EXITCODE(1, 0), child.said_bye, {}, {}, false});
}

void Reaper::look_again() {
  for (const auto& [object, since] : std::map(silent_threads_)) {
    Child* child = children_.find(object);
    if (child == nullptr) silent_threads_.erase(object);
    else reap_thread(*child);
  }
}

void Reaper::reap_threads_of(std::uint64_t host, const Obituary& of_host) {
  std::vector<Obituary> with;
  for (const auto& [object, child] : children_.all())
    if (child.host == host) with.push_back({child.facts, of_host.died, of_host.status, of_host.destroyed, of_host.last_lines, {}, false});
  for (const auto& obituary : with) enter(obituary);
}

void Reaper::enter(const Obituary& obituary) {
  Child child = children_.take(obituary.facts.address.object);
  told_.died(child, obituary);
}

}  // namespace octavo::agent
