// SPDX-License-Identifier: Apache-2.0
#include "octavo/machine/agent.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <random>

#include "base/blocked_signals.hpp"
#include "base/start_thread.hpp"
#include "machine/agent/attempt.hpp"
#include "machine/agent/loop.hpp"
#include "octavo/base/clock.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"

namespace octavo {

namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "localhost";
}

std::int64_t default_pool() { return round_down(static_cast<std::int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE) / 4, MiB); }

}  // namespace

Agent::Agent(AgentOptions options) : loop_(std::make_unique<Loop>(std::move(options), nullptr, Fd())) {}
Agent::Agent(AgentOptions options, std::unique_ptr<road::Link> hub) : loop_(std::make_unique<Loop>(std::move(options), std::move(hub), Fd())) {}
Agent::Agent(AgentOptions options, Fd listening) : loop_(std::make_unique<Loop>(std::move(options), nullptr, std::move(listening))) {}
Agent::~Agent() = default;
Fd Agent::join() { return loop_->join(); }
void Agent::wait() { loop_->wait(); }
void Agent::retire() { loop_->retire(); }
std::int64_t Agent::peak_bytes() const { return loop_->peak.load(); }
std::int64_t Agent::peak_program_bytes() const { return loop_->peak_program.load(); }

Agent::Loop::Loop(AgentOptions options, std::unique_ptr<road::Link> hub, Fd listening)
    : options_(std::move(options)),
      listening_(std::move(listening)) {
  if (options_.machine.empty()) options_.machine = host_name();
  if (options_.pool_bytes == 0) options_.pool_bytes = default_pool();
  if (options_.engine) options_.engine->keep_silence(options_.silence);
  std::random_device random;
  id_ = static_cast<std::uint64_t>(random()) << 32 | random();
  pool_ = std::make_unique<Pool>(Pool::make(options_.pool_bytes), Pool::agent_slot);
  make_locks();
  const BlockedSignals blocked;
  if (listening_) {
    become_lasting();
    hang_board(agent_kind::lasting);
  } else if (hub == nullptr) {
    hang_board(agent_kind::program);
    begin_program();
  } else {
    next_object_ = 2;
    hang_board(agent_kind::machine);
    meet(std::move(hub), "the hub", true);
  }
  thread_ = start_thread("for the agent", [this] { run(); });
}

void Agent::Loop::hang_board(agent_kind kind) {
  board_memory_ = StatusBoard::make(kind, {{id_, incarnation_, 0}, "the agent", options_.machine, ::getpid(), begun_});
  board_ = std::make_unique<StatusBoard>(board_memory_);
}

void Agent::Loop::begin_program() {
  auto [ours, theirs] = socket_pair(SOCK_SEQPACKET, "starting the agent");
  joined_ = std::move(theirs);
  spawn::Started program;
  program.pid = ::getpid();
  program.control = std::move(ours);
  adopt({{}, "the program", options_.machine, ::getpid(), now_seconds()}, std::move(program), 0);
}

Agent::Loop::~Loop() {
  events_.stop();
  thread_.join();
}

Fd Agent::Loop::join() { return std::move(joined_); }

void Agent::Loop::wait() {
  std::unique_lock lock(ended_mutex_);
  ended_changed_.wait(lock, [this] { return ended_; });
}

void Agent::Loop::stop_waiting() {
  std::lock_guard lock(ended_mutex_);
  ended_ = true;
  ended_changed_.notify_all();
}

void Agent::Loop::run() {
  pthread_setname_np(pthread_self(), "octavo-agent");
  auto most_ms = [this] {
    const bool soon = options_.measure || !slots_.all_clean() || !silent_threads_.empty() || !unheard_.empty() || !standard_error_.is_free();
    return soon ? 20 : look_again_ms();
  };
  events_.run(most_ms, [this] { look_around(); });
  end_everything();
}

agent::EventLoop::Ready Agent::Loop::on(std::uint64_t object, void (Loop::*handle)(Child&, std::uint32_t)) {
  return [this, object, handle](std::uint32_t events) {
    if (auto found = children_.find(object); found != children_.end()) (this->*handle)(found->second, events);
  };
}

void Agent::Loop::look_around() {
  if (options_.measure) measure();
  slots_.clean_again();
  for (const auto& [object, since] : std::map(silent_threads_)) {
    auto found = children_.find(object);
    if (found == children_.end()) silent_threads_.erase(object);
    else bury_thread(found->second);
  }
  if (!unheard_.empty() && standard_error_.is_free())
    for (auto object : std::exchange(unheard_, {}))
      if (auto found = children_.find(object); found != children_.end()) events_.watch(found->second.run.error_lines.get(), on(object, &Loop::hear_lines));
  if (registry_) look_at_use();
}

void Agent::Loop::hear_lines(Child& child, std::uint32_t /*events*/) {
  const bool more = child.lines.pass_on(child.run.error_lines.get(), standard_error_);
  if (more && standard_error_.is_free()) return;
  events_.unwatch(child.run.error_lines.get());
  if (more) unheard_.insert(child.facts.address.object);
  else child.run.error_lines.reset();
}

void Agent::Loop::hear_control(Child& from, std::uint32_t events) {
  if ((events & EPOLLOUT) != 0) go_on_telling(from);
  if ((events & ~EPOLLOUT) != 0) hear(from);
}

void Agent::Loop::hear_death(Child& child, std::uint32_t /*events*/) { bury(child.facts.address.object); }

void Agent::Loop::hear(Child& from) {
  control::Received received;
  auto what = in_context([&] { return from.facts.class_name + " (object " + std::to_string(from.facts.address.object) + ")"; },
                         [&] { return control::receive_now(from.run.control.get(), received); });
  if (what == control::heard::notice) return obey(from, received);
  if (what == control::heard::nothing) return;  // a fork of its process was quicker, or will be
  events_.unwatch(from.run.control.get());
  if (from.host != 0) bury_thread(from);  // the pidfd of one that has a process tells the rest
}

// Does not wait for the process: see outbox.hpp.
void Agent::Loop::tell(Child& child, const control::Notice& notice, std::span<const int> descriptors) {
  if (child.outbox.say(child.run.control.get(), notice, descriptors)) return;
  events_.also_writable(child.run.control.get(), true);
}

void Agent::Loop::go_on_telling(Child& child) {
  if (!child.outbox.go_on(child.run.control.get())) return;
  events_.also_writable(child.run.control.get(), false);
}

void Agent::Loop::obey(Child& from, control::Received& received) {
  if (const auto* ready = control::get_if<control::Ready>(&received.notice)) return hear_ready(from, *ready);
  if (const auto* why = control::get_if<control::Unmade>(&received.notice)) return hear_unmade(from, *why);
  if (const auto* bye = control::get_if<control::Bye>(&received.notice)) return hear_bye(from, *bye);
  if ((control::get_if<control::Idle>(&received.notice) != nullptr)) return hear_idle(from);
  if (const auto* parted = control::get_if<control::Parted>(&received.notice)) return hear_parted(*parted);
  if (hear_lock(from, received.notice)) return;
  fulfil(requester_of(from, received.notice), received.notice);
}

void Agent::Loop::hear_bye(Child& from, const control::Bye& bye) {
  from.said_bye = true;
  from.resting = bye.resting;
  if (from.named != nullptr && !from.resting) forget_name(from.facts.address.object);
}

}  // namespace octavo
