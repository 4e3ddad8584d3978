// SPDX-License-Identifier: Apache-2.0
// The agents of other machines that an agent which is not the program's has links with of its own, so that conversations of two such machines cross one link
// and not two. A link is made when a process first wants to be connected with one there; until then, and where none comes, the hub is the way.
//
//   Siblings siblings(identity, peers, ways, post, {.fulfil = ..., .unreached = ..., .died = ...});
//   if (siblings.forward(requester, connect)) return;      // else the request goes as any other: by the hub
//
// SI-1  Only connections of processes go by such a link; whatever else agents ask each other goes by the hub, which also tells of the end of a machine.
// SI-2  A request waits until the link is there, or until it is known that none comes now: then it goes by the hub, and none is tried for a minute.
// SI-3  Of a link that is lost the hub is asked, which asks the other agent: if that is gone, its processes are dead; if it answers, the conversations that
//       the link carried end, at both ends, with an error that says that the machine may live and is not reached from here. Neither is said before.
// SI-4  What the other agent had not answered by then is asked again, another way.
//
// Threading: the agent's; what its ways tell on other threads is posted there. Failure: as Requester::hand_to.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "machine/agent/common/identity.hpp"
#include "machine/agent/peers/peer_agents.hpp"
#include "machine/agent/siblings/ways.hpp"
#include "octavo/road/doorbell.hpp"

namespace octavo::agent {

class Siblings {
 public:
  struct Surroundings {
    std::function<void(const RequesterPtr& requester, const control::Notice& request)> fulfil;  // anew
    std::function<void(std::uint64_t object, const Obituary& of)> unreached;                    // of a process of this agent: it talks with that one no more
    std::function<void(const Obituary& obituary)> died;
  };
  // `ways`: none, where this agent has no links but with the hub, or is the hub.
  Siblings(const Identity& self, PeerAgents& peers, std::shared_ptr<SiblingWays> ways, PeerAgents::Post post, Surroundings around);
  ~Siblings();
  Siblings(const Siblings&) = delete;
  Siblings& operator=(const Siblings&) = delete;

  // False: it is not for a sibling, or by the hub for now.
  [[nodiscard]] bool forward(const RequesterPtr& requester, const control::Connect& request);
  // Of the hub; or at the hub, which passes it on.
  void hear(PeerAgent& from, const talk::Siblings& said);
  void hear_lost(std::shared_ptr<PeerAgent> link);
  // At the hub: all its other machines hear of it.
  void tell_lost(const PeerAgent& machine) const;

 private:
  enum class stage : std::uint8_t { by_hub, wanted, invited, calling, up, doubted };
  struct Sibling {
    stage at = stage::by_hub;
    std::string machine;
    std::uint64_t attempt = 0;  // what comes of an earlier one is too late
    std::vector<Postponed> waiting;
    std::shared_ptr<PeerAgent> lost;  // doubted
    bool is_wanted = false;           // doubted: the other waits for a place to call at
    road::Deadline again{};           // by_hub: not tried before
  };
  // Where what is told on other threads comes in, until this ends.
  struct Gate {
    std::mutex mutex;
    PeerAgents::Post post;
  };
  void pass_on(const PeerAgent& from, talk::Siblings said) const;
  void hear(std::uint64_t id, Sibling& its, const talk::Siblings& said);
  void begin(std::uint64_t id, Sibling& its);
  void invite(std::uint64_t id, Sibling& its);
  void call(std::uint64_t id, Sibling& its, const talk::Siblings& said);
  void met(std::uint64_t id, std::uint64_t attempt, std::unique_ptr<road::Link> link, const std::string& why_none);
  void go_by_hub(std::uint64_t id, Sibling& its, const std::string& why, road::Deadline again);
  void settle(Sibling& its, bool lives, const std::string& why);
  void let_go(std::uint64_t id, const std::string& why);  // of a link that the other agent has no more
  void flush(Sibling& its);
  void tell(std::uint64_t id, talk::about_siblings what, const std::string& why = {}, const SiblingWays::Place& place = {}) const;
  [[nodiscard]] SiblingWays::Came came(std::uint64_t id, std::uint64_t attempt);
  [[nodiscard]] Sibling* of_attempt(std::uint64_t id, std::uint64_t attempt);
  void post(const std::function<void()>& work) const;

  const Identity& self_;
  PeerAgents& peers_;
  const Surroundings around_;
  std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
  std::map<std::uint64_t, Sibling> known_;  // by agent
  const std::shared_ptr<SiblingWays> ways_;
};

}  // namespace octavo::agent
