// SPDX-License-Identifier: Apache-2.0
// The other agents that an agent has links with: saying Hello, forwarding requests and taking their answers, and what is to be done when one is lost.
//
//   PeerAgents peers(identity, deaths, post, open_link, {.requested = ..., .died = ..., .lost = ..., .ask_again = ...});
//   PeerAgent& peer = peers.meet(std::move(link), "box", peer_kind::machine);
//   peers.ask(peer, requester, request, [](PeerAgent& by, const control::Notice& answer, PeerAgent::FarEnd end) { ... });
//
// Threading: the agent's; what a link says on its own thread is posted there. Failure: gone_error, where the other agent is lost; what meet() throws leaves
// nothing behind. An agent that says nonsense is lost.
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "machine/agent/common/identity.hpp"
#include "machine/agent/peers/peer_agent.hpp"

namespace octavo::agent {

class PeerAgents {
 public:
  using Post = std::function<void(std::function<void()> work)>;
  struct Events {
    // `bell`: the doorbell of the process that asks, if that is on this machine.
    std::function<void(PeerAgent& from, const talk::ForwardedRequest& request, Fd bell)> requested;
    std::function<void(const Obituary& obituary)> died;  // a process of another agent
    std::function<void(const PeerAgent& lost)> lost;     // it is none of the peers any more
    // True: the request, which a lost agent did not answer, is fulfilled elsewhere.
    std::function<bool(const PeerAgent& lost, const PeerAgent::Asked& asked)> ask_again;
    std::function<void(const PeerAgent& from)> reads_told = {};  // a program, to a lasting agent: talk.hpp
    std::function<void(PeerAgent& from, const talk::Siblings& said)> siblings = {};
    // None of its processes is told of as dead, and what it was asked has no answer yet.
    std::function<void(std::shared_ptr<PeerAgent> lost)> sibling_lost = {};
  };
  PeerAgents(const Identity& self, DeathRegister& deaths, Post post, OpenAgentLink open_link, Events told);

  PeerAgent& meet(std::unique_ptr<road::Link> link, const std::string& machine, peer_kind kind);
  // Of the agent that is known by this number already. It is none of all(): only connections are asked of it (siblings/siblings.hpp).
  PeerAgent& meet_sibling(std::unique_ptr<road::Link> link, const std::string& machine, std::uint64_t id);
  void ask(PeerAgent& other, const RequesterPtr& requester, const control::Notice& request, PeerAgent::Then then);
  // All that was there is dead, and whoever knew it is told so.
  void lose(PeerAgent& other, const std::string& why);
  // Ends all links; nobody is told.
  void end_all() {
    peers_.clear();
    siblings_.clear();
    fading_.clear();
  }

  using All = std::vector<std::shared_ptr<PeerAgent>>;
  [[nodiscard]] const All& all() const noexcept { return peers_; }
  // Null: there is none.
  [[nodiscard]] PeerAgent* of_kind(peer_kind kind) const;
  [[nodiscard]] PeerAgent* of_agent(std::uint64_t id) const;
  [[nodiscard]] PeerAgent* sibling(std::uint64_t id) const;
  [[nodiscard]] PeerAgent* find(const Listener& who) const;
  // The programs that may lead this lasting agent to another agent; those that use the object that asks come first: a transform process
  // depends on no other program then.
  [[nodiscard]] All leading_to(std::uint64_t agent, const Requester& from) const;
  // The lasting agent of this machine, once it has said Hello; it may have ended since. 0: it is not known.
  [[nodiscard]] std::uint64_t own_daemon() const noexcept { return own_daemon_; }
  // It was reached by a lasting agent that is lost: the next one may lead there.
  [[nodiscard]] bool was_led_to(std::uint64_t agent) const { return led_to_.contains(agent); }
  // The machine of another lasting agent that was met. Null: it was not.
  [[nodiscard]] const std::string* machine_of_daemon(std::uint64_t id) const;

 private:
  void open(All& among, const std::shared_ptr<PeerAgent>& other, std::unique_ptr<road::Link> link);
  void hear(PeerAgent& from, ByteView bytes, std::vector<Fd> with);
  void hear_hello(PeerAgent& from, const talk::Hello& hello);
  void hear_reply(PeerAgent& from, const talk::ForwardedReply& reply, std::vector<Fd> with);
  void finish(PeerAgent& by, const PeerAgent::Asked& asked, const control::Notice& answer, std::vector<Fd> with = {});
  void end_fading();
  void lose_asked(PeerAgent& lost, const PeerAgent::Asked& asked, const std::string& why);

  const Identity& self_;
  DeathRegister& deaths_;
  const Post post_;
  const OpenAgentLink open_link_;
  const Events told_;
  std::uint64_t next_number_ = 1;
  std::uint64_t own_daemon_ = 0;
  std::map<std::uint64_t, std::string> daemons_;  // machines, by lasting agent
  std::set<std::uint64_t> led_to_;                // agents of other programs that the lasting agent led to, while there is none
  All peers_, siblings_;
  std::vector<std::unique_ptr<AgentLink>> fading_;  // of lost ones
};

}  // namespace octavo::agent
