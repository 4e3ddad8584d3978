// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/children/fork_servers.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "machine/agent/common/attempt.hpp"
#include "octavo/base/error.hpp"

namespace octavo::agent {

void ForkServers::start(const Command& fork_server, const Command& otherwise, const std::string& title, Done done) {
  bool asked = false;
  attempt("asking a fork server", [&] {
    Server* server = server_for(fork_server);
    asked = server != nullptr && ask(*server, otherwise, title, done);
  });
  if (!asked) start_anew({otherwise, title, std::move(done), {}, {}});
}

// Null: this command forks nothing.
ForkServers::Server* ForkServers::server_for(const Command& command) {
  if (unable_.contains(command)) return nullptr;
  auto now = forking::inherited_now();
  for (Server& each : servers_) {
    if (each.retired || each.command != command) continue;
    if (each.inherited == now) return &each;
    each.retired = true;
    if (each.waiting.empty()) ::kill(each.run.pid, SIGKILL);
  }
  return &add(command, std::move(now));
}

ForkServers::Server& ForkServers::add(const Command& command, forking::Inherited inherited) {
  auto run = begin_(command);
  Server& server = servers_.emplace_back(Server{command, std::move(inherited), std::move(run), {}});
  try {
    events_.watch(server.run.control.get(), [this, &server](std::uint32_t) { hear(server); });
    events_.watch(server.run.pidfd.get(), [this, &server](std::uint32_t) { reap(server); });
  } catch (...) {
    events_.unwatch(server.run.control.get());
    ::kill(server.run.pid, SIGKILL);
    spawn::reap(server.run.pid);
    servers_.pop_back();
    throw;
  }
  return server;
}

// False: it takes no requests now. `done` is taken where it is true.
bool ForkServers::ask(Server& server, const Command& otherwise, const std::string& title, Done& done) {
  auto ends = spawn::make_ends("asking '" + server.command.front() + "' to fork for " + title);
  Fd here(::open(".", O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!here || !forking::send(server.run.control.get(), {title, std::move(ends.control), std::move(ends.errors), std::move(here)})) return false;
  server.waiting.push_back({otherwise, title, std::move(done), std::move(ends.ours), std::chrono::steady_clock::now()});
  return true;
}

void ForkServers::hear(Server& server) {
  for (;;) {
    forking::Forked forked;
    auto what = datagram::heard::end;
    attempt("listening to a fork server", [&] { what = forking::receive(MSG_DONTWAIT, server.run.control.get(), forked); });
    if (what == datagram::heard::nothing) return;
    if (what == datagram::heard::end || server.waiting.empty()) return give_up(server);
    fulfil(server, std::move(forked));
  }
}

void ForkServers::fulfil(Server& server, forking::Forked forked) {
  Waiting first = std::move(server.waiting.front());
  server.waiting.pop_front();
  if (forked.reply.error != 0) {
    if (!server.proven)
      log_line("agent: '" + server.command.front() + "' cannot fork: " + std::strerror(forked.reply.error) + "; each process is started anew");
    if (!server.proven) unable_.insert(server.command);
    return start_anew(std::move(first));
  }
  server.proven = true;
  first.ours.pid = forked.reply.pid;
  first.ours.pidfd = std::move(forked.pidfd);
  bool taken = false;
  attempt("a process that was forked", [&] {
    first.done([&] {
      taken = true;
      return std::move(first.ours);
    });
  });
  if (!taken) spawn::discard(first.ours);
  if (server.retired && server.waiting.empty()) ::kill(server.run.pid, SIGKILL);
}

void ForkServers::start_anew(Waiting waiting) {
  attempt("a process that was not forked", [&] { waiting.done([&] { return start_(waiting.otherwise, waiting.title, {}, {}); }); });
}

// It is dead, dying or stuck: its pidfd tells the end.
void ForkServers::give_up(Server& server) {
  server.retired = true;
  if (!server.proven) unable_.insert(server.command);
  events_.unwatch(server.run.control.get());
  ::kill(server.run.pid, SIGKILL);
  for (auto& each : std::exchange(server.waiting, {})) start_anew(std::move(each));
}

void ForkServers::reap(Server& server) {
  if (!server.waiting.empty()) hear(server);  // what it said before it died
  give_up(server);
  events_.unwatch(server.run.pidfd.get());
  spawn::reap(server.run.pid);
  std::erase_if(servers_, [&](const Server& each) { return &each == &server; });
}

bool ForkServers::waits() const noexcept {
  return std::any_of(servers_.begin(), servers_.end(), [](const Server& each) { return !each.waiting.empty(); });
}

void ForkServers::look_again() {
  const auto now = std::chrono::steady_clock::now();
  for (Server& each : servers_)
    if (!each.waiting.empty() && each.waiting.front().since + patience_ < now) {
      log_line("agent: the fork server '" + each.command.front() + "' does not answer: what waits for it is started anew");
      give_up(each);
    }
}

void ForkServers::end_all() {
  constexpr timeval patience{5, 0};
  for (Server& each : servers_) {
    for (const Fd* watched : {&each.run.control, &each.run.pidfd}) events_.unwatch(watched->get());
    if (each.waiting.empty()) ::kill(each.run.pid, SIGKILL);
    // It forks for what it was asked before it sees the end; whom it forked is a child of this process, and known by the reply alone.
    ::shutdown(each.run.control.get(), SHUT_WR);
    ::setsockopt(each.run.control.get(), SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    attempt("ending a fork server", [&] {
      for (forking::Forked forked; !each.waiting.empty() && forking::receive(0, each.run.control.get(), forked) == datagram::heard::message;) {
        Waiting first = std::move(each.waiting.front());
        each.waiting.pop_front();
        if (forked.reply.error != 0) continue;
        first.ours.pid = forked.reply.pid;
        spawn::discard(first.ours);
      }
    });
    spawn::reap_soon(each.run.pid, each.run.pidfd, each.run.pid);
  }
  servers_.clear();
}

}  // namespace octavo::agent
