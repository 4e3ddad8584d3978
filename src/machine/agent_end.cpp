// SPDX-License-Identifier: Apache-2.0
// The agent's last duties: burying one process, ending all, and measuring what they use meanwhile.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

#include "machine/agent_loop.hpp"
#include "octavo/base/clock.hpp"

namespace octavo {

void Agent::Loop::bury(std::uint64_t object) {
  auto found = children_.find(object);
  if (found == children_.end()) return;
  Child& child = found->second;
  siginfo_t how{};
  if (::waitid(P_PIDFD, static_cast<id_t>(child.run.pidfd.get()), &how, WEXITED) != 0) return;
  // A Bye may still lie in the socket, and last words in the pipe.
  while (auto received = control::receive(child.run.control.get())) {
    if (std::holds_alternative<control::Bye>(received->notice)) child.said_bye = true;
  }
  if (child.run.error_lines) child.lines.pass_on(child.run.error_lines.get());
  Obituary obituary{child.facts, now_seconds(), 0, false, child.lines.last()};
  obituary.status = how.si_code == CLD_EXITED ? W_EXITCODE(how.si_status, 0) : how.si_status;
  obituary.destroyed = child.said_bye;
  pool_->reclaim(child.slot);
  std::set<std::uint64_t> knew = std::move(child.knows);
  children_.erase(found);
  dead_.emplace(object, obituary);
  tell_of(obituary, knew);
}

void Agent::Loop::tell_of(const Obituary& obituary, const std::set<std::uint64_t>& who) {
  for (auto object : who) {
    auto found = children_.find(object);
    if (found != children_.end()) control::send(found->second.run.control.get(), control::Died{obituary});
  }
}

void Agent::Loop::end_everything() {
  // The end of its control socket ends a process that is well; the signal ends one that is not.
  for (auto& [object, child] : children_)
    if (object != 1) ::kill(child.run.pid, SIGKILL);
  for (auto& [object, child] : children_) {
    siginfo_t how{};
    if (object != 1)
      while (::waitid(P_PIDFD, static_cast<id_t>(child.run.pidfd.get()), &how, WEXITED) != 0 && errno == EINTR) {}
    if (child.run.error_lines) child.lines.pass_on(child.run.error_lines.get());
  }
  children_.clear();
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
    std::int64_t bytes = anonymous_bytes(child.run.pid);
    sum += bytes + static_cast<std::int64_t>(child.knows.size()) * options_.ring_bytes;  // each connection has two rings and two ends
    if (object == 1) peak_program.store(std::max(peak_program.load(), bytes));
  }
  peak.store(std::max(peak.load(), sum));
}

}  // namespace octavo
