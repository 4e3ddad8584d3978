// SPDX-License-Identifier: Apache-2.0
// What an agent has to do with connections and with mailboxes of the home: its real parts, put together as src/machine/agent/parts.cpp does, between
// processes and links of the test.
//
//   HomeAgent program({100, 1, "here"}, rows, tell), lasting({17, 1, "here", true}, rows, tell);
//   program.add(facts, slot);
//   program.take(facts.address, 7, control::MailboxRequest{...});   // a process has said that
//   if (program.wants_lasting()) program.join(lasting);             // their link is a Wire
//   program.connected(one, other);                                  // two processes are, of which one is its own
//   program.reap(facts.address, false);                             // that process has ended
//
// Threading: one.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "machine/agent/requests/requesters.hpp"
#include "machine/agent/services/channels.hpp"
#include "machine/agent/services/introduction_service.hpp"
#include "machine/agent/services/mailboxes.hpp"
#include "machine/lasting/guides.hpp"
#include "schedule/home/wire.hpp"

namespace octavo::schedule {

class HomeAgent {
 public:
  using Tell = std::function<void(const Address& who, const control::Notice& notice, std::span<const int> descriptors)>;
  // `record`: a lasting one's, as in Mailboxes.
  HomeAgent(agent::Identity self, const Fd& rows, Tell tell, agent::ReaderRecord* record = nullptr);
  HomeAgent(const HomeAgent&) = delete;
  HomeAgent& operator=(const HomeAgent&) = delete;
  ~HomeAgent() { peers_.end_all(); }

  // After each death that it hears of.
  std::function<void(const Obituary&)> on_death;

  const agent::Child& add(const ProcessFacts& facts, unsigned slot) { return processes_.add(facts, slot); }
  void take(const Address& who, const control::Notice& notice);
  void reap(const Address& who, bool destroyed);
  [[nodiscard]] bool wants_lasting() const { return !postponed_.empty(); }
  [[nodiscard]] bool has_met(std::uint64_t id) const { return peers_.of_agent(id) != nullptr; }
  [[nodiscard]] bool has_lasting() const { return peers_.of_kind(agent::peer_kind::daemon) != nullptr; }
  std::shared_ptr<Wire> join(HomeAgent& lasting, bool carries_descriptors = false);
  // A process of this agent with another of it, or with one that the lasting agent leads to.
  void connected(const ProcessFacts& ours, const ProcessFacts& other);
  // At the lasting agent: of two programs.
  void carried(const ProcessFacts& one, const ProcessFacts& other);
  [[nodiscard]] const Obituary* death_of(const Life& who) const { return deaths_.find(who); }
  [[nodiscard]] std::size_t channels_known() const noexcept { return channels_.known(); }
  // At the lasting agent, when all programs have ended: nothing is kept of this box.
  [[nodiscard]] bool has_forgotten(const std::string& box);

 private:
  class Processes final : public agent::Processes {
   public:
    explicit Processes(Tell tell) : tell_(std::move(tell)) {}
    agent::Child& add(const ProcessFacts& facts, unsigned slot) {
      return children_.emplace(facts.address.object, agent::Child{facts, slot, {}, road::Doorbell::make(), 0}).first->second;
    }
    agent::Child& adopt(ProcessFacts facts, spawn::Started run, std::uint64_t host, std::optional<control::NamedHome> named) override;
    using agent::Processes::tell;
    void tell(agent::Child& child, const control::Notice& notice, std::span<const int> descriptors) override {
      tell_(child.facts.address, notice, descriptors);
    }

   private:
    const Tell tell_;
  };
  [[nodiscard]] agent::PeerAgents::Events events();
  void postpone(const agent::RequesterPtr& requester, const control::Notice& request);
  void serve(const agent::RequesterPtr& requester, const control::Notice& notice);
  void tell_death(const agent::Listener& who, const Obituary& of);
  void remember_death(const Obituary& obituary);
  [[nodiscard]] agent::PeerAgent* leading_to(const Address& who) const;

  const agent::Identity self_;
  std::shared_ptr<Wire> next_wire_;  // of the link that is being made
  Processes processes_;
  StatusBoard board_;
  std::vector<agent::Postponed> postponed_;
  agent::DeathRegister deaths_{[this](const agent::Listener& who, const Obituary& of) { tell_death(who, of); }};
  agent::PeerAgents peers_;
  agent::Routes routes_;
  agent::Guides guides_{self_, peers_};
  agent::Requesters requesters_;
  agent::Watches watches_{self_, deaths_, processes_, peers_, routes_};
  agent::Passivation passivation_{deaths_, processes_, peers_};
  agent::IntroductionService introductions_{self_, processes_, deaths_, routes_, watches_, passivation_, nullptr};
  agent::Mailboxes mailboxes_;
  agent::Channels channels_{routes_, deaths_, self_.daemon};
};

}  // namespace octavo::schedule
