// SPDX-License-Identifier: Apache-2.0
// Making connections: the ends of each, which process gets which, and the numbers by which both sides know it.
//
//   introducer.introduce(asking, other, request);          // two processes of this agent
//   introducer.join(ours, peer, channel, facts, request);  // a process of this agent and one of another, by a channel of the link
//   introducer.carry_on(from, beyond);                     // two other agents, by way of this one
//   auto end = introducer.introduce_directly(ours, peer, facts, bell);       // as join(), with a process on this machine: no agent carries anything
//   introducer.join_directly(ours, peer, made, descriptors, request);        // and there, what came of that
//
// Threading: the agent's. Failure: io_error, and what a link throws; a side that was told by then is told of the other's end in its time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "machine/agent/children/processes.hpp"
#include "machine/agent/common/identity.hpp"
#include "machine/agent/peers/peer_agent.hpp"
#include "machine/board/board.hpp"

namespace octavo::agent {

class Introducer {
 public:
  Introducer(const Identity& self, Processes& processes, DeathRegister& deaths, StatusBoard& board, std::size_t ring_bytes);

  // `request`: of the side that asked; 0: nobody did.
  void introduce(Child& asking, Child& other, std::uint64_t request);
  void join(Child& ours, PeerAgent& other, std::uint64_t channel, const ProcessFacts& peer, std::uint64_t request);
  struct ChannelEnd {
    PeerAgent& by;
    std::uint64_t channel;
    ProcessFacts whose;
  };
  void carry_on(const ChannelEnd& from, const ChannelEnd& beyond);

  // `bell`: of `peer`. The end that is its.
  [[nodiscard]] road::ShmEnd introduce_directly(Child& ours, PeerAgent& other, const ProcessFacts& peer, const SharedBell& bell);
  // `descriptors`: of talk::ForwardedReply. Throws io_error, if they did not come.
  void join_directly(Child& ours, PeerAgent& other, const control::Connected& made, const std::vector<Fd>& descriptors, std::uint64_t request);
  // Two processes of other agents are connected: each agent hears of the death of the other's.
  void know_each_other(PeerAgent& from, const ProcessFacts& whose, PeerAgent& beyond, const ProcessFacts& theirs);
  // Tells `by` that this process, which it has just connected with one of its own, has ended, or that the link with its agent is lost.
  void tell_end(const PeerAgent& by, const ProcessFacts& whose) const;

 private:
  // A process of this agent, and one of another.
  void enter(const Child& ours, PeerAgent& other, const ProcessFacts& peer, road::road_kind kind);
  void enter_road(const ProcessFacts& first, const ProcessFacts& second, road::road_kind kind);

  const Identity& self_;
  Processes& processes_;
  DeathRegister& deaths_;
  StatusBoard& board_;
  const std::size_t ring_bytes_;
  std::uint64_t meetings_ = 0;     // of two threads of one process
  std::uint32_t connections_ = 0;  // that are numbered
};

}  // namespace octavo::agent
