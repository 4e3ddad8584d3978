// SPDX-License-Identifier: Apache-2.0
#include "octavo/machine/agent.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <random>

#include "machine/agent_loop.hpp"
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

Agent::Agent(AgentOptions options) : loop_(std::make_unique<Loop>(std::move(options))) {}
Agent::~Agent() = default;
Fd Agent::join() { return loop_->join(); }
std::int64_t Agent::peak_bytes() const { return loop_->peak.load(); }
std::int64_t Agent::peak_program_bytes() const { return loop_->peak_program.load(); }

Agent::Loop::Loop(AgentOptions options) : options_(std::move(options)), epoll_(::epoll_create1(EPOLL_CLOEXEC)), stop_(::eventfd(0, EFD_CLOEXEC)) {
  if (!epoll_ || !stop_) throw io_error_from(errno, "starting the agent");
  if (options_.machine.empty()) options_.machine = host_name();
  if (options_.pool_bytes == 0) options_.pool_bytes = default_pool();
  std::random_device random;
  id_ = static_cast<std::uint64_t>(random()) << 32 | random();
  watch(stop_.get(), source::stop, 0);

  std::array<int, 2> sockets{-1, -1};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets.data()) != 0) throw io_error_from(errno, "starting the agent");
  joined_.reset(sockets[1]);
  spawn::Started program;
  program.pid = ::getpid();
  program.control.reset(sockets[0]);
  pool_ = std::make_unique<Pool>(Pool::make(options_.pool_bytes), 0);
  adopt({{}, "the program", options_.machine, ::getpid(), now_seconds()}, std::move(program));

  // Signals are the program's affair: this thread takes none.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread([this] { run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Agent::Loop::~Loop() {
  std::uint64_t one = 1;
  [[maybe_unused]] auto n = ::write(stop_.get(), &one, sizeof one);
  thread_.join();
}

Fd Agent::Loop::join() { return std::move(joined_); }

void Agent::Loop::watch(int descriptor, source what, std::uint64_t object) const {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.u64 = object << 8 | static_cast<std::uint64_t>(what);
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, descriptor, &event) != 0) throw io_error_from(errno, "watching a process");
}

void Agent::Loop::run() {
  pthread_setname_np(pthread_self(), "octavo-agent");
  std::array<epoll_event, 64> events{};
  for (;;) {
    int n = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), options_.measure ? 20 : -1);
    for (int i = 0; i < n; ++i) {
      auto what = static_cast<source>(events[static_cast<std::size_t>(i)].data.u64 & 0xff);
      if (what == source::stop) return end_everything();
      try {
        handle(what, events[static_cast<std::size_t>(i)].data.u64 >> 8);
      } catch (const std::exception& e) {
        log_line(std::string("agent: ") + e.what());
      }
    }
    if (options_.measure) measure();
  }
}

void Agent::Loop::handle(source what, std::uint64_t object) {
  auto found = children_.find(object);
  if (found == children_.end()) return;
  Child& child = found->second;
  switch (what) {
    case source::control: return hear(child);
    case source::death: return bury(object);
    case source::lines:
      if (!child.lines.pass_on(child.run.error_lines.get())) child.run.error_lines.reset();
      return;
    case source::stop: return;
  }
}

void Agent::Loop::hear(Child& from) {
  auto received = control::receive(from.run.control.get());
  if (received) return obey(from, *received);
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, from.run.control.get(), nullptr);  // its pidfd tells the rest
}

void Agent::Loop::obey(Child& from, control::Received& received) {
  auto answer = [&](const control::Notice& notice) { control::send(from.run.control.get(), notice); };
  if (auto* wish = std::get_if<control::Spawn>(&received.notice)) return spawn_for(from, *wish);
  if (auto* wish = std::get_if<control::Connect>(&received.notice)) return connect_for(from, *wish);
  if (std::holds_alternative<control::Bye>(received.notice)) {
    from.said_bye = true;
  } else if (auto* kill = std::get_if<control::Kill>(&received.notice)) {
    auto found = children_.find(kill->who.object);
    if (found != children_.end() && kill->who.object != 1) ::kill(found->second.run.pid, kill->signal);
  } else if (auto* list = std::get_if<control::List>(&received.notice)) {
    control::Listing listing{list->request, {}};
    for (const auto& [object, child] : children_) listing.processes.push_back(child.facts);
    answer(listing);
  }
}

unsigned Agent::Loop::free_slot() const {
  std::set<unsigned> taken;
  for (const auto& [object, child] : children_) taken.insert(child.slot);
  for (unsigned slot = 0; slot < Pool::most_processes; ++slot)
    if (!taken.contains(slot)) return slot;
  throw refused("more than " + std::to_string(Pool::most_processes) + " processes on one machine", "Destroy some first");
}

Child& Agent::Loop::adopt(ProcessFacts facts, spawn::Started run) {
  unsigned slot = free_slot();
  std::uint64_t object = next_object_++;
  facts.address = {id_, 1, object};
  pool_->reclaim(slot);  // what was handed to the slot's last owner in the instant of its end
  auto [at, fresh] = children_.emplace(object, Child{std::move(facts), slot, std::move(run), road::Doorbell::make(), {}, {}, false});
  Child& child = at->second;
  watch(child.run.control.get(), source::control, object);
  if (child.run.pidfd) watch(child.run.pidfd.get(), source::death, object);
  if (child.run.error_lines) watch(child.run.error_lines.get(), source::lines, object);
  std::array<int, 2> gifts{child.bell.descriptor(), pool_->descriptor()};
  control::send(child.run.control.get(), control::Welcome{child.facts, slot}, gifts);
  return child;
}

void Agent::Loop::spawn_for(Child& asker, const control::Spawn& wish) {
  try {
    auto run = spawn::start(wish.command, "octavo:" + wish.class_name);
    pid_t pid = run.pid;
    Child& child = adopt({{}, wish.class_name, options_.machine, pid, now_seconds()}, std::move(run));
    introduce(asker, child, wish.request);
  } catch (const error& e) {
    control::send(asker.run.control.get(), control::Failed{wish.request, e.message(), e.cure(), {}});
  }
}

void Agent::Loop::connect_for(Child& asker, const control::Connect& wish) {
  control::Failed no{wish.request, {}, {}, {}};
  if (wish.to.agent != id_ || wish.to.incarnation != 1) {
    no.message = "there is no agent " + std::to_string(wish.to.agent) + " (incarnation " + std::to_string(wish.to.incarnation) + ") to ask for process " +
                 std::to_string(wish.to.object);
  } else if (auto dead = dead_.find(wish.to.object); dead != dead_.end()) {
    no.obituary = dead->second;
  } else if (auto found = children_.find(wish.to.object); found != children_.end()) {
    return introduce(asker, found->second, wish.request);
  } else {
    no.message = "there never was a process " + std::to_string(wish.to.object) + " on " + options_.machine;
  }
  control::send(asker.run.control.get(), no);
}

void Agent::Loop::introduce(Child& asker, Child& other, std::uint64_t request) const {
  auto ends = road::make_shm_ends(options_.ring_bytes == 0 ? road::default_ring_bytes : static_cast<std::size_t>(options_.ring_bytes));
  asker.knows.insert(other.facts.address.object);
  other.knows.insert(asker.facts.address.object);
  std::array<int, 3> theirs{ends.second.rings.get(), ends.second.socket.get(), asker.bell.descriptor()};
  control::send(other.run.control.get(), control::Connected{0, asker.facts, asker.slot, 1}, theirs);
  std::array<int, 3> ours{ends.first.rings.get(), ends.first.socket.get(), other.bell.descriptor()};
  control::send(asker.run.control.get(), control::Connected{request, other.facts, other.slot, 0}, ours);
}

}  // namespace octavo
