// SPDX-License-Identifier: Apache-2.0
#include "machine/agent/requests/introducer.hpp"

#include <array>
#include <cerrno>
#include <string>
#include <utility>

#include "base/delay_point.hpp"
#include "base/passed_descriptors.hpp"
#include "octavo/base/clock.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/log.hpp"
#include "octavo/machine/pool.hpp"
#include "octavo/road/choose.hpp"

namespace octavo::agent {

Introducer::Introducer(const Identity& self, Processes& processes, DeathRegister& deaths, StatusBoard& board, std::size_t ring_bytes)
    : self_(self), processes_(processes), deaths_(deaths), board_(board), ring_bytes_(ring_bytes) {}

void Introducer::enter_road(const ProcessFacts& first, const ProcessFacts& second, road::road_kind kind) {
  board_.enter_road(first.address.object, second.address, kind);
  auto text = [](const ProcessFacts& each) { return each.class_name + " (object " + std::to_string(each.address.object) + " on " + each.machine + ")"; };
  log_about("roads", [&] {
    return text(first) + " and " + text(second) + " are connected by " + std::string(road::to_string(kind)) + ": " + std::string(road::reason_for(kind));
  });
}

void Introducer::introduce(Child& asking, Child& other, std::uint64_t request) {
  delay_point("agent: about to introduce");
  deaths_.connect(asking.listener(), other.facts);
  deaths_.connect(other.listener(), asking.facts);
  control::Connected to_other{0, asking.facts, asking.slot, 0, 1, road::choose_road({self_.id, asking.facts.pid}, {self_.id, other.facts.pid}), 0};
  enter_road(asking.facts, other.facts, to_other.road);
  control::Connected to_asking{request, other.facts, other.slot, 0, 0, to_other.road, 0};
  if (to_other.road == road::road_kind::thread) {
    to_other.meeting = to_asking.meeting = ++meetings_;
    processes_.tell(other, to_other, std::array{asking.bell.descriptor()});
    delay_point("agent: introduced one of two, of a process");
    processes_.tell(asking, to_asking, std::array{other.bell.descriptor()});
    return;
  }
  auto ends = road::make_shm_ends(ring_bytes_);
  to_other.number = to_asking.number = ++connections_;
  processes_.tell(other, to_other, std::array{asking.bell.descriptor(), ends.second.rings.get(), ends.second.socket.get()});
  ends.second = {};  // its descriptors are on their way: a program with many objects has few to spare
  delay_point("agent: introduced one of two");
  processes_.tell(asking, to_asking, std::array{other.bell.descriptor(), ends.first.rings.get(), ends.first.socket.get()});
}

// The link holds one end of the connection, the process the other.
void Introducer::join(Child& ours, PeerAgent& other, std::uint64_t channel, const ProcessFacts& peer, std::uint64_t request) {
  auto ends = road::make_shm_ends(ring_bytes_, false);
  const auto number = ends.first.number = ++connections_;
  other.link->open(channel, std::move(ends.first), ours.bell, ours.slot);
  enter(ours, other, peer, road::road_kind::net);
  const auto& bell = other.link->bell();
  processes_.tell(ours, control::Connected{request, peer, Pool::agent_slot, number, ends.second.side, road::road_kind::net, 0},
                  std::array{bell.descriptor(), ends.second.rings.get(), ends.second.socket.get(), bell.event()});
}

// Each of the two links holds an end.
void Introducer::carry_on(const ChannelEnd& from, const ChannelEnd& beyond) {
  auto ends = road::make_shm_ends(ring_bytes_, false);
  ends.first.number = ends.second.number = ++connections_;
  from.by.link->open(from.channel, std::move(ends.first), beyond.by.link->bell(), Pool::agent_slot);
  beyond.by.link->open(beyond.channel, std::move(ends.second), from.by.link->bell(), Pool::agent_slot);
  know_each_other(from.by, from.whose, beyond.by, beyond.whose);
}

road::ShmEnd Introducer::introduce_directly(Child& ours, PeerAgent& other, const ProcessFacts& peer, const SharedBell& bell) {
  auto ends = road::make_shm_ends(ring_bytes_);
  enter(ours, other, peer, road::road_kind::shm);
  processes_.tell(ours, control::Connected{0, peer, bell.slot, 0, ends.second.side, road::road_kind::shm, 0},
                  std::array{bell.descriptor, ends.second.rings.get(), ends.second.socket.get()});
  return std::move(ends.first);
}

void Introducer::join_directly(Child& ours, PeerAgent& other, const control::Connected& made, const std::vector<Fd>& descriptors, std::uint64_t request) {
  if (descriptors.empty())
    throw io_error_from(EMFILE, "taking the descriptors of a connection with a process of another program (or its lasting agent, that passes them on)");
  delay_point("agent: about to join a process of another program");
  enter(ours, other, made.peer, made.road);
  processes_.tell(ours, control::Connected{request, made.peer, made.peer_slot, 0, made.side, made.road, 0}, PassedDescriptors::numbers_of(descriptors));
}

void Introducer::know_each_other(PeerAgent& from, const ProcessFacts& whose, PeerAgent& beyond, const ProcessFacts& theirs) {
  deaths_.connect(from.listener(), theirs);
  deaths_.connect(beyond.listener(), whose);
  beyond.theirs.insert_or_assign(theirs.address, theirs);
  from.theirs.insert_or_assign(whose.address, whose);
}

void Introducer::tell_end(const PeerAgent& by, const ProcessFacts& whose) const {
  const auto* known = deaths_.find(whose);
  by.tell(talk::Died{known != nullptr ? *known : Obituary{whose, now_seconds(), 0, false, {}, "the link with its agent was lost", false}});
}

void Introducer::enter(const Child& ours, PeerAgent& other, const ProcessFacts& peer, road::road_kind kind) {
  deaths_.connect(ours.listener(), peer);
  deaths_.connect(other.listener(), ours.facts);
  other.theirs.insert_or_assign(peer.address, peer);
  if (other.is_sibling()) other.talks.emplace(peer.address, ours.facts.address.object);
  enter_road(ours.facts, peer, kind);
}

}  // namespace octavo::agent
