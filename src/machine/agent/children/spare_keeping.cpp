// SPDX-License-Identifier: Apache-2.0
// The spares of fork servers: who gets one, and when some are made.
#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <utility>

#include "machine/agent/children/fork_servers.hpp"
#include "machine/agent/common/attempt.hpp"
#include "machine/host/available_memory.hpp"
#include "machine/host/process_stat.hpp"

namespace octavo::agent {

namespace {
// A program is not to run out of descriptors sooner because of them.
bool is_among_the_last(int descriptor) {
  rlimit limit{};
  return ::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && static_cast<rlim_t>(descriptor) >= limit.rlim_cur / 2;
}
}  // namespace

// False: there is none.
bool ForkServers::give_spare(Server& server, const forking::Task& task, const Done& done) {
  auto spare = server.spares.take(task);
  // What comes while the fork server starts is the beginning of a program, which says little of what it does later.
  if (server.proven) server.demand.asked(std::chrono::steady_clock::now(), spare.has_value());
  if (!spare) return false;
  hand_over(done, std::move(*spare));
  return true;
}

// Spares are made when nobody else wants the processor. They set that right before they wait (forking/fork_server.cpp).
void ForkServers::set_urgent(Server& server, bool urgent) noexcept {
  if (std::exchange(server.urgent, urgent) == urgent) return;
  const sched_param none{};
  const int now = ::sched_getscheduler(server.run.pid);
  if (now == SCHED_OTHER || now == SCHED_BATCH) ::sched_setscheduler(server.run.pid, urgent ? SCHED_OTHER : SCHED_BATCH, &none);
}

// One that is asked for and not forked yet: it finds its task. False: there is none.
bool ForkServers::claim_spare(Server& server, const Command& otherwise, const forking::Task& task, Done& done) {
  const auto first = std::find_if(server.waiting.begin(), server.waiting.end(), [](const Waiting& each) { return !each.done; });
  if (first == server.waiting.end() || !forking::send(first->ours.control.get(), task)) return false;
  set_urgent(server, true);
  first->otherwise = otherwise;
  first->title = task.title;
  first->done = std::move(done);
  first->since = std::chrono::steady_clock::now();
  return true;
}

void ForkServers::keep_spare(Server& server, Waiting as, forking::Forked forked) {
  if (forked.reply.error != 0 || !forked.pidfd) {
    end(forked);
    server.demand.forget();
    return;
  }
  as.ours.pid = forked.reply.pid;
  as.ours.pidfd = std::move(forked.pidfd);
  attempt("a spare", [&] { server.spares.add(std::move(as.ours)); });
  if (server.retired) server.spares.keep(0);
}

void ForkServers::see_to_spares(Server& server, Time now) {
  if (server.spares.lost_some()) server.demand.forget();  // or they would die, and be made, again and again
  const auto wanted = server.demand.wanted(now);
  server.spares.keep(wanted);
  if (waits(server) || !server.demand.is_quiet(now)) return;
  for (auto there = server.spares.count() + server.waiting.size(); there < wanted; ++there) {
    bool asked = false;
    attempt("asking for a spare", [&] { asked = memory_suffices(server, now) && request(server, nullptr); });
    if (asked && !is_among_the_last(server.waiting.back().ours.error_lines.get())) continue;
    return server.demand.forget();
  }
}

// For as many spares as there may be, if they shared nothing with their fork server.
bool ForkServers::memory_suffices(const Server& server, Time now) {
  constexpr auto holds_for = std::chrono::seconds(1);
  if (now < memory_looked_at_ + holds_for) return memory_suffices_;
  memory_looked_at_ = now;
  const auto stat = stat_of(server.run.pid);
  return memory_suffices_ = !stat || available_memory() >= SpareDemand::most * stat->resident_bytes;
}

}  // namespace octavo::agent
