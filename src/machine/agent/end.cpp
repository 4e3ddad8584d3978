// SPDX-License-Identifier: Apache-2.0
// The agent's last duties: burying one process, ending all, and measuring what they use meanwhile.
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "base/delay_point.hpp"
#include "machine/agent/attempt.hpp"
#include "machine/agent/loop.hpp"
#include "machine/obituary.hpp"
#include "octavo/base/clock.hpp"

namespace octavo {

namespace {

// The status of a process that has ended; nothing of one that has not.
std::optional<int> reap(const Fd& pidfd) {
  siginfo_t how{};
  int done = 0;
  while ((done = ::waitid(P_PIDFD, static_cast<id_t>(pidfd.get()), &how, WEXITED | WNOHANG)) != 0 && errno == EINTR) {}
  if (done != 0) return status_taken;  // the program reaps every child it has, or ignores SIGCHLD
  if (how.si_pid == 0) return std::nullopt;
  return how.si_code == CLD_EXITED ? W_EXITCODE(how.si_status, 0) : how.si_status;
}

}  // namespace

void Agent::Loop::bury(std::uint64_t object) {
  auto found = children_.find(object);
  if (found == children_.end()) return;
  Child& child = found->second;
  delay_point("agent: about to bury");
  board_->leave(child.slot);  // before its pid can be another's
  if (!child.status) child.status = reap(child.run.pidfd);
  if (!child.status) return;  // it has not ended
  // A Bye may still lie in the socket, and last words in the pipe.
  hear_last_words(child);
  if (child.run.error_lines) child.lines.pass_on_last(child.run.error_lines.get(), standard_error_);
  Obituary obituary{child.facts, now_seconds(), *child.status, false, child.lines.last(), {}, false};
  obituary.destroyed = child.said_bye && !child.resting;
  obituary.resting = child.said_bye && child.resting;
  delay_point("agent: about to enter a death");
  enter_death(obituary);
  bury_with(object, obituary);
}

// Whatever it left there: a fork of it may hold the other end, and it may have written anything.
void Agent::Loop::hear_last_words(Child& child) {
  for (bool more = true; more;)
    attempt("the last words of " + child.facts.class_name, [&] {
      control::Received received;
      more = control::receive_now(child.run.control.get(), received) == control::heard::notice;
      if (!more) return;
      if (const auto* bye = control::get_if<control::Bye>(&received.notice)) hear_bye(child, *bye);
      else if (const auto* ready = control::get_if<control::Ready>(&received.notice)) hear_ready(child, *ready);
      else if (const auto* why = control::get_if<control::Unmade>(&received.notice)) hear_unmade(child, *why);
      else hear_release(child, received.notice);
    });
}

// Its process has; the agent may not have buried it yet.
bool Agent::Loop::has_ended(std::uint64_t object) const {
  auto found = children_.find(object);
  if (found == children_.end()) return false;
  pollfd end{found->second.run.pidfd.get(), POLLIN, 0};
  return ::poll(&end, 1, 0) > 0;
}

// The end of its control socket is all the agent sees of an object on a thread. Without a Bye its process ended, and is about to say how; or the thread
// alone did, as it could not begin.
void Agent::Loop::bury_thread(Child& child) {
  constexpr auto time_to_end = std::chrono::seconds(1);  // the descriptors of a process are closed before its end can be seen
  const bool may_end = !child.said_bye && child.host != 1 && children_.contains(child.host);
  if (may_end) {
    const auto since = silent_threads_.try_emplace(child.facts.address.object, std::chrono::steady_clock::now()).first->second;
    if (has_ended(child.host) || std::chrono::steady_clock::now() < since + time_to_end) return;  // buried with its host, whose end says more
  }
  silent_threads_.erase(child.facts.address.object);
  enter_death({child.facts, now_seconds(), child.said_bye ? 0 : W_EXITCODE(1, 0), child.said_bye, {}, {}, false});
}

void Agent::Loop::bury_with(std::uint64_t host, const Obituary& of_host) {
  std::vector<Obituary> with;
  for (const auto& [object, child] : children_)
    if (child.host == host) with.push_back({child.facts, of_host.died, of_host.status, of_host.destroyed, of_host.last_lines, {}, false});
  for (const auto& obituary : with) enter_death(obituary);
}

void Agent::Loop::enter_death(const Obituary& obituary) {
  const auto object = obituary.facts.address.object;
  auto found = children_.find(object);
  Child child = std::move(found->second);
  children_.erase(found);
  deaths_.forget(child.listener());
  unheard_.erase(object);  // its next life has lines of its own
  for (const Fd* each : {&child.run.control, &child.run.pidfd, &child.run.error_lines})
    if (*each) events_.unwatch(each->get());  // closing them does not do it while a fork of this program has them, too
  attempt("freeing the pages of a dead process", [&] { slots_.release(child.slot); });
  board_->leave(child.slot);
  attempt("freeing the locks of a dead process", [&] { locks_->bury(child.slot, object, obituary); });
  count_as_parted(object);
  attempt("the name of a dead process", [&] { settle_named(child, obituary); });
  remember_death(obituary);
  if (child.named == nullptr) return;
  for (const auto& each : child.named->later)  // who hears of the next life has heard of this one's end
    attempt("an object's next life", [&] { fulfil(each.requester, each.wish); });
}

// Tells who knew it, here and on other machines.
void Agent::Loop::remember_death(const Obituary& obituary) {
  delay_point("agent: about to tell of a death");
  const Address& who = obituary.facts.address;
  board_->leave_roads(who);
  for (auto& [name, box] : mailboxes_)
    if (box.owner == who) box.owner = {};
  deaths_.enter(obituary);
}

void Agent::Loop::tell_death(const agent::Listener& who, const Obituary& of) {
  if (who.what == agent::Listener::kind::process) {
    if (auto found = children_.find(who.number); found != children_.end()) tell(found->second, control::Died{of});
    return;
  }
  for (const auto& other : peers_)
    if (other->number == who.number) return other->tell(talk::Died{of});
}

control::Notice Agent::Loop::killed(const control::Kill& wish) {
  control::Failed no{wish.request, error_kind::usage, {}, {}, {}};
  Child* child = living(wish.who);
  if (child == nullptr) {
    no.kind = error_kind::gone;
    no.message = "there is no process " + std::to_string(wish.who.object) + " to kill";
  } else if (!child->run.pidfd) {
    no.message = child->facts.class_name + " (object " + std::to_string(wish.who.object) + ") has no process of its own, so it cannot be killed";
    no.cure = "Destroy it, or kill its process";
  } else if (::kill(child->run.pid, wish.signal) != 0) {
    no.message = "process " + std::to_string(child->run.pid) + " takes no signal " + std::to_string(wish.signal);
  } else {
    return control::Done{wish.request};
  }
  return no;
}

void Agent::Loop::end_everything() {
  // The end of its control socket ends a process that is well; the signal ends one that is not.
  for (auto& [object, child] : children_)
    if (child.run.pidfd) ::kill(child.run.pid, SIGKILL);
  for (auto& [object, child] : children_) {
    siginfo_t how{};
    if (child.run.pidfd)
      while (::waitid(P_PIDFD, static_cast<id_t>(child.run.pidfd.get()), &how, WEXITED) != 0 && errno == EINTR) {}
    if (child.run.error_lines) child.lines.pass_on_last(child.run.error_lines.get(), standard_error_);
  }
  standard_error_.finish();
  children_.clear();
  registry_.reset();    // who told the lasting agent to end knows by the end of its link that it has: it may remove the directory then
  peers_.clear();  // the end of its link ends an agent
  if (options_.engine) options_.engine->end();
}

namespace {

std::int64_t anonymous_bytes(pid_t pid) {
  std::ifstream status("/proc/" + std::to_string(pid) + "/status");
  for (std::string word; status >> word;)
    if (word == "RssAnon:") {
      std::int64_t kibibytes = 0;
      status >> kibibytes;
      return kibibytes * 1024;
    }
  return 0;
}

}  // namespace

void Agent::Loop::measure() {
  std::int64_t sum = pool_->resident_bytes();
  for (const auto& [object, child] : children_) {
    std::int64_t bytes = child.host == 0 ? anonymous_bytes(child.run.pid) : 0;
    sum += bytes + static_cast<std::int64_t>(deaths_.connections_of(child.listener())) * options_.ring_bytes;  // each connection has two rings and two ends
    if (object == 1) peak_program.store(std::max(peak_program.load(), bytes));
  }
  peak.store(std::max(peak.load(), sum));
}

}  // namespace octavo
