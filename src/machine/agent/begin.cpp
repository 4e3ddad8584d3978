// SPDX-License-Identifier: Apache-2.0
// How objects begin: their servers, processes or threads, and how two of them come to know each other.
#include <sys/socket.h>

#include <array>

#include "base/delay_point.hpp"
#include "machine/agent/loop.hpp"
#include "octavo/base/clock.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "octavo/road/choose.hpp"

namespace octavo {

// Where it throws there is no such child, and no such process.
Child& Agent::Loop::adopt(ProcessFacts facts, spawn::Started run, std::uint64_t host, std::optional<control::NamedHome> named) {
  std::optional<unsigned> slot;
  std::optional<road::Doorbell> bell;
  try {
    slot = slots_.take();
    bell = road::Doorbell::make();
  } catch (...) {
    if (slot) slots_.release(*slot);
    spawn::discard(run);
    throw;
  }
  if (!named) facts.address = {id_, incarnation_, next_object_++};
  const auto object = facts.address.object;
  Child& child = children_.emplace(object, Child{std::move(facts), *slot, std::move(run), std::move(*bell), {}, host}).first->second;
  try {
    welcome(child, std::move(named));
  } catch (...) {
    abandon(child);
    throw;
  }
  return child;
}

void Agent::Loop::welcome(Child& child, std::optional<control::NamedHome> named) {
  locks_->words().given_to(child.slot).store(0, std::memory_order_relaxed);  // its requests have numbers of their own
  const auto object = child.facts.address.object;
  events_.watch(child.run.control.get(), on(object, &Loop::hear_control));
  if (child.run.pidfd) events_.watch(child.run.pidfd.get(), on(object, &Loop::hear_death));
  if (child.run.error_lines) events_.watch(child.run.error_lines.get(), on(object, &Loop::hear_lines));
  board_->enter(child.slot, child.facts, child.host, named ? named->name : std::string());
  std::array<int, 4> gifts{child.bell.descriptor(), pool_->descriptor(), board_memory_.get(), lock_memory_.get()};
  tell(child, control::Welcome{child.facts, child.slot, std::move(named)}, gifts);
}

void Agent::Loop::abandon(Child& child) {
  for (const Fd* each : {&child.run.control, &child.run.pidfd, &child.run.error_lines})
    if (*each) events_.unwatch(each->get());
  spawn::discard(child.run);
  board_->leave(child.slot);
  slots_.release(child.slot);
  children_.erase(child.facts.address.object);
}

Child& Agent::Loop::begin(const Requester& requester, const control::Spawn& wish) {
  if (!wish.where.name.empty()) return begin_named(wish);
  if (!wish.where.on_thread) return begin_process(wish);
  Child* host = requester.child();
  if (host == nullptr) throw usage_error("an object is put on a thread only of the program that asks");
  return begin_thread(*host, wish);
}

Child& Agent::Loop::begin_process(const control::Spawn& wish) {
  auto run = spawn::start(wish.command, "octavo:" + wish.class_name);
  pid_t pid = run.pid;
  return adopt({{}, wish.class_name, options_.machine, pid, now_seconds()}, std::move(run), 0);
}

// The requester gets the socket before it hears of the object: its first call finds a server.
Child& Agent::Loop::begin_thread(Child& requester, const control::Spawn& wish) {
  auto [ours, theirs] = socket_pair(SOCK_SEQPACKET, "placing " + wish.class_name + " on a thread");
  spawn::Started run;
  run.pid = static_cast<pid_t>(requester.facts.pid);
  run.control = std::move(ours);
  std::uint64_t host = requester.host != 0 ? requester.host : requester.facts.address.object;
  Child& child = adopt({{}, wish.class_name, options_.machine, requester.facts.pid, now_seconds()}, std::move(run), host);
  std::array<int, 1> gift{theirs.get()};
  tell(requester, control::Host{child.facts.address.object}, gift);
  return child;
}

Child* Agent::Loop::living(const Address& who) {
  auto found = children_.find(who.object);
  return found != children_.end() && found->second.facts.address == who ? &found->second : nullptr;
}

std::size_t Agent::Loop::ring_bytes() const { return options_.ring_bytes == 0 ? road::default_ring_bytes : static_cast<std::size_t>(options_.ring_bytes); }

void Agent::Loop::enter_road(const ProcessFacts& first, const ProcessFacts& second, road::road_kind kind) {
  board_->enter_road(first.address.object, second.address, kind);
  auto text = [](const ProcessFacts& each) { return each.class_name + " (object " + std::to_string(each.address.object) + " on " + each.machine + ")"; };
  log_about("roads", [&] {
    return text(first) + " and " + text(second) + " are connected by " + std::string(road::to_string(kind)) + ": " + std::string(road::reason_for(kind));
  });
}

void Agent::Loop::introduce(Child& requester, Child& other, std::uint64_t request) {
  delay_point("agent: about to introduce");
  deaths_.connect(requester.listener(), other.facts.address);
  deaths_.connect(other.listener(), requester.facts.address);
  control::Connected to_other{0, requester.facts, requester.slot, 0, 1, road::choose_road({id_, requester.facts.pid}, {id_, other.facts.pid}), 0};
  enter_road(requester.facts, other.facts, to_other.road);
  control::Connected to_asker{request, other.facts, other.slot, 0, 0, to_other.road, 0};
  if (to_other.road == road::road_kind::thread) {
    to_other.meeting = to_asker.meeting = ++meetings_;
    tell(other, to_other, std::array{requester.bell.descriptor()});
    delay_point("agent: introduced one of two, of a process");
    tell(requester, to_asker, std::array{other.bell.descriptor()});
    return;
  }
  auto ends = road::make_shm_ends(ring_bytes());
  to_other.number = to_asker.number = ++connections_;
  tell(other, to_other, std::array{requester.bell.descriptor(), ends.second.rings.get(), ends.second.socket.get()});
  delay_point("agent: introduced one of two");
  tell(requester, to_asker, std::array{other.bell.descriptor(), ends.first.rings.get(), ends.first.socket.get()});
}

}  // namespace octavo
