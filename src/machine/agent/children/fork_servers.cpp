// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/children/fork_servers.hpp"

#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include "machine/agent/common/attempt.hpp"
#include "octavo/base/error.hpp"

namespace octavo::agent {

void ForkServers::start(const Command& fork_server, const Command& otherwise, const std::string& title, Done done) {
  bool asked = false;
  attempt("asking a fork server", [&] {
    auto task = forking::task_here(title);
    Server* server = server_for(fork_server, task.changes);
    asked = server != nullptr && (give_spare(*server, task, done) || claim_spare(*server, otherwise, task, done) || ask(*server, otherwise, task, done));
  });
  if (!asked) start_anew({otherwise, title, std::move(done), {}, {}});
}

// Null: this command forks nothing. `changes`: what its forks are to be told of the environment.
ForkServers::Server* ForkServers::server_for(const Command& command, forking::Changes& changes) {
  if (unable_.contains(command)) return nullptr;
  auto now = forking::inherited_now(environment_());
  for (Server& each : servers_) {
    if (each.retired || each.command != command) continue;
    if (auto found = forking::changes_for_a_fork(each.inherited, now)) {
      changes = std::move(*found);
      return &each;
    }
    retire(each);
  }
  return &add(command, std::move(now));
}

ForkServers::Server& ForkServers::add(const Command& command, forking::Inherited inherited) {
  auto run = begin_(command);
  Server& server = servers_.emplace_back(command, std::move(inherited), std::move(run), events_, times_.spares_last);
  try {
    events_.watch(server.run.control.get(), [this, &server](std::uint32_t) { hear(server); });
    events_.watch(server.run.pidfd.get(), [this, &server](std::uint32_t) { reap(server); });
  } catch (...) {
    events_.unwatch(server.run.control.get());
    kill(server);
    spawn::reap(server.run.pid);
    servers_.pop_back();
    throw;
  }
  return server;
}

// Its objects and spares no longer have what this program has.
void ForkServers::retire(Server& server) {
  server.retired = true;
  server.spares.keep(0);
  if (server.waiting.empty()) kill(server);  // else when it has answered: what it forks meanwhile is a child of this process
}

// False: it takes no requests now. `done` is taken where it is true.
bool ForkServers::ask(Server& server, const Command& otherwise, const forking::Task& task, Done& done) {
  if (!request(server, &task)) return false;
  auto& waiting = server.waiting.back();
  waiting.otherwise = otherwise;
  waiting.title = task.title;
  waiting.done = std::move(done);
  return true;
}

// Without a task the fork is to be a spare.
bool ForkServers::request(Server& server, const forking::Task* task) {
  auto ends = spawn::make_ends("asking '" + server.command.front() + "' to fork for " + (task == nullptr ? "what comes next" : task->title));
  if (task != nullptr && !forking::send(ends.ours.control.get(), *task)) return false;
  set_urgent(server, task != nullptr);
  if (!forking::send(server.run.control.get(), forking::Request{std::move(ends.control), std::move(ends.errors)})) return false;
  server.waiting.push_back({{}, {}, {}, std::move(ends.ours), std::chrono::steady_clock::now()});
  return true;
}

void ForkServers::hear(Server& server) {
  if (drain(server, MSG_DONTWAIT) == datagram::heard::end) give_up(server);
}

// Hears what it has said; `flags`: MSG_DONTWAIT, or 0 to wait for more. A fork that nobody waits for is ended.
datagram::heard ForkServers::drain(Server& server, int flags) {
  for (;;) {
    forking::Forked forked;
    auto what = datagram::heard::end;
    attempt("listening to a fork server", [&] { what = forking::receive(flags, server.run.control.get(), forked); });
    if (what != datagram::heard::message) return what;
    if (server.waiting.empty()) end(forked);
    else fulfil(server, std::move(forked));
  }
}

void ForkServers::fulfil(Server& server, forking::Forked forked) {
  Waiting first = std::move(server.waiting.front());
  server.waiting.pop_front();
  if (!first.done) {
    keep_spare(server, std::move(first), std::move(forked));
  } else if (forked.reply.error != 0) {
    if (!server.proven)
      log_line("agent: '" + server.command.front() + "' cannot fork: " + std::strerror(forked.reply.error) + "; each process is started anew");
    if (!server.proven) unable_.insert(server.command);
    start_anew(std::move(first));
  } else if (!forked.pidfd) {  // this process may have no more descriptors
    end(forked);
    start_anew(std::move(first));
  } else {
    server.proven = true;
    first.ours.pid = forked.reply.pid;
    first.ours.pidfd = std::move(forked.pidfd);
    hand_over(first.done, std::move(first.ours));
  }
  if (server.retired && server.waiting.empty()) kill(server);
}

void ForkServers::hand_over(const Done& to, spawn::Started run) {
  bool taken = false;
  attempt("a process that was forked", [&] {
    to([&] {
      taken = true;
      return std::move(run);
    });
  });
  if (!taken) spawn::discard(run);
}

void ForkServers::end(const forking::Forked& forked) noexcept {
  if (forked.reply.error != 0) return;
  ::kill(forked.reply.pid, SIGKILL);  // a child of this process that nobody has reaped
  spawn::reap(forked.reply.pid);
}

void ForkServers::kill(const Server& server) noexcept { ::syscall(SYS_pidfd_send_signal, server.run.pidfd.get(), SIGKILL, nullptr, 0); }

void ForkServers::start_anew(Waiting waiting) {
  attempt("a process that was not forked", [&] { waiting.done([&] { return start_(waiting.otherwise, waiting.title, {}, {}); }); });
}

// It is dead, dying or stuck: its pidfd tells the end.
void ForkServers::give_up(Server& server) {
  if (!server.proven && !server.retired) unable_.insert(server.command);
  server.retired = true;
  events_.unwatch(server.run.control.get());
  server.spares.keep(0);
  kill(server);
  for (auto& each : std::exchange(server.waiting, {}))
    if (each.done) start_anew(std::move(each));
}

void ForkServers::reap(Server& server) {
  events_.unwatch(server.run.pidfd.get());
  drain(server, MSG_DONTWAIT);  // what it said before it died
  give_up(server);
  spawn::reap(server.run.pid);
  std::erase_if(servers_, [&](const Server& each) { return &each == &server; });
}

// An object waits for it.
bool ForkServers::waits(const Server& server) noexcept {
  return std::any_of(server.waiting.begin(), server.waiting.end(), [](const Waiting& each) { return static_cast<bool>(each.done); });
}

int ForkServers::most_ms() {
  constexpr int soon = 20;
  const auto now = std::chrono::steady_clock::now();
  int most = -1;
  auto sooner = [&most](std::int64_t ms) { most = most < 0 ? static_cast<int>(ms) : std::min(most, static_cast<int>(ms)); };
  for (Server& each : servers_) {
    if (!each.waiting.empty()) sooner(soon);
    const auto wanted = each.demand.wanted(now);
    if (each.retired || (wanted == 0 && each.spares.count() == 0)) continue;
    const auto next = wanted > each.spares.count() + each.waiting.size() ? each.demand.quiet_at() : each.demand.forgets_at();
    sooner(std::max<std::int64_t>(std::chrono::ceil<std::chrono::milliseconds>(next - now).count(), 1));
  }
  return most;
}

void ForkServers::look_again() {
  const auto now = std::chrono::steady_clock::now();
  auto is_stuck = [&](const Server& each) { return !each.waiting.empty() && now >= each.waiting.front().since + times_.patience; };
  for (Server& each : servers_) {
    if (is_stuck(each)) hear(each);
    if (is_stuck(each)) {
      log_line("agent: the fork server '" + each.command.front() + "' does not answer: what waits for it is started anew");
      give_up(each);
    }
    if (!each.retired) see_to_spares(each, now);
  }
}

void ForkServers::end_all() {
  constexpr timeval patience{5, 0};
  for (Server& each : servers_) {
    for (const Fd* watched : {&each.run.control, &each.run.pidfd}) events_.unwatch(watched->get());
    // It forks for what it was asked before it sees the end; whom it forked is a child of this process, and known by the reply alone.
    const bool asked = !std::exchange(each.waiting, {}).empty();
    ::shutdown(each.run.control.get(), SHUT_WR);
    ::setsockopt(each.run.control.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    if (asked) drain(each, 0);
    kill(each);
    spawn::reap(each.run.pid);
    drain(each, MSG_DONTWAIT);
  }
  servers_.clear();
}

}  // namespace octavo::agent
