// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/children/fork_servers.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

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
    if (each.waiting.empty()) kill(each);
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
    kill(server);
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
  if (forked.reply.error != 0) {
    if (!server.proven)
      log_line("agent: '" + server.command.front() + "' cannot fork: " + std::strerror(forked.reply.error) + "; each process is started anew");
    if (!server.proven) unable_.insert(server.command);
    start_anew(std::move(first));
  } else if (!forked.pidfd) {  // this process may have no more descriptors
    end(forked);
    start_anew(std::move(first));
  } else {
    server.proven = true;
    hand_over(std::move(first), std::move(forked));
  }
  if (server.retired && server.waiting.empty()) kill(server);
}

void ForkServers::hand_over(Waiting to, forking::Forked forked) {
  to.ours.pid = forked.reply.pid;
  to.ours.pidfd = std::move(forked.pidfd);
  bool taken = false;
  attempt("a process that was forked", [&] {
    to.done([&] {
      taken = true;
      return std::move(to.ours);
    });
  });
  if (!taken) spawn::discard(to.ours);
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
  kill(server);
  for (auto& each : std::exchange(server.waiting, {})) start_anew(std::move(each));
}

void ForkServers::reap(Server& server) {
  events_.unwatch(server.run.pidfd.get());
  drain(server, MSG_DONTWAIT);  // what it said before it died
  give_up(server);
  spawn::reap(server.run.pid);
  std::erase_if(servers_, [&](const Server& each) { return &each == &server; });
}

bool ForkServers::waits() const noexcept {
  return std::any_of(servers_.begin(), servers_.end(), [](const Server& each) { return !each.waiting.empty(); });
}

void ForkServers::look_again() {
  const auto now = std::chrono::steady_clock::now();
  for (Server& each : servers_) {
    if (each.waiting.empty() || now < each.waiting.front().since + patience_) continue;
    hear(each);
    if (each.waiting.empty() || now < each.waiting.front().since + patience_) continue;
    log_line("agent: the fork server '" + each.command.front() + "' does not answer: what waits for it is started anew");
    give_up(each);
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
