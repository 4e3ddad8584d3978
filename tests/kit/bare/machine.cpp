// SPDX-License-Identifier: Apache-2.0
#include "kit/bare/machine.hpp"

#include <fcntl.h>
#include <sys/socket.h>

#include "octavo/base/error.hpp"

namespace octavo::kit {

namespace {

std::pair<Fd, Fd> socket_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0) throw io_error_from(errno, "making a socket pair");
  return {Fd(ends[0]), Fd(ends[1])};
}

ProcessFacts facts_of(unsigned slot) {
  ProcessFacts facts;
  facts.address = {1, 1, slot};
  facts.class_name = "Bare" + std::to_string(slot);
  facts.machine = "bare";
  facts.pid = 1000 + static_cast<std::int64_t>(slot);
  return facts;
}

Fd copy_of(const Fd& descriptor) { return Fd(::fcntl(descriptor.get(), F_DUPFD_CLOEXEC, 0)); }

}  // namespace

BareSurroundings::BareSurroundings(BareMachine& machine, unsigned slot)
    : self(facts_of(slot)),
      pool(copy_of(machine.pages()), slot),
      board(machine.rows()),
      row(board, slot),
      control(socket_pair()),
      agent(control.first.get(), [this](const auto& ready, auto longest) { return sleep(ready, longest); }),
      links(
          bell, false, ends, [this, &machine](const Address& to) { return machine.connect_to(*this, to); },
          [this](const auto& ready, auto longest) { return sleep(ready, longest); }) {}

bool BareSurroundings::sleep(const std::function<bool()>& ready, road::Clock::duration longest) {
  if (clock == nullptr) return false;
  clock->sleep(ready, longest == road::Clock::duration::max() ? road::never : clock->now() + longest);
  return true;
}

std::optional<control::Notice> BareSurroundings::told() {
  control::Received received;
  if (control::receive_now(control.second.get(), received) != control::heard::notice) return std::nullopt;
  return std::move(received.notice);
}

BareSurroundings& BareMachine::add() {
  if (!rows_) rows_ = StatusBoard::make(agent_kind::program, facts_of(0));
  auto& made = all_.emplace_back(*this, static_cast<unsigned>(all_.size() + 1));
  made.board.enter(slot_of(made), made.self, 0, "");
  return made;
}

BareSurroundings* BareMachine::find(const Address& address) {
  for (auto& each : all_)
    if (each.self.address == address) return &each;
  return nullptr;
}

std::pair<detail::PeerLink, detail::PeerLink> BareMachine::connect(BareSurroundings& one, BareSurroundings& two) {
  auto [first, second] = road::ThreadRoad(one.bell, two.bell, &one.pool, &two.pool).ends();
  if (wrap_) {
    first = wrap_(one, first);
    second = wrap_(two, second);
  }
  detail::PeerLink near{two.self, wire::PageRoute{slot_of(two), 0}, first, false};
  detail::PeerLink far{one.self, wire::PageRoute{slot_of(one), 0}, second, false};
  one.links.enter(near);
  two.links.enter(far);
  return {near, far};
}

detail::PeerLink BareMachine::connect_to(BareSurroundings& asking, const Address& to) {
  if (connect_) return connect_(asking, to);
  std::lock_guard lock(mutex_);
  auto* found = find(to);
  if (found == nullptr || is_dead(*found)) throw gone_error("there is no process " + std::to_string(to.object));
  return connect(asking, *found).first;
}

Obituary BareMachine::death_of(const BareSurroundings& who) {
  Obituary death;
  death.facts = who.self;
  return death;
}

void BareMachine::kill(BareSurroundings& who) {
  crash(who);
  std::lock_guard lock(mutex_);
  for (auto& each : all_)
    if (&each != &who && !is_dead(each)) each.links.died(death_of(who));
}

void BareMachine::crash(BareSurroundings& who) {
  std::lock_guard lock(mutex_);
  dead_[slot_of(who)].store(true);
  std::vector<detail::PeerLink> links;
  std::uint64_t version = 0;
  who.links.refresh(links, version);
  for (const auto& each : links) each.connection->close();
}

}  // namespace octavo::kit
