// SPDX-License-Identifier: Apache-2.0
// The agent: its parts, and what each tells the others. Its thread waits for all of them (EventLoop); what links to other agents say is posted there.
#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include "machine/agent/children/children.hpp"
#include "machine/agent/children/reaper.hpp"
#include "machine/agent/common/event_loop.hpp"
#include "machine/agent/common/memory_meter.hpp"
#include "machine/agent/deaths/death_register.hpp"
#include "machine/agent/peers/peer_agents.hpp"
#include "machine/agent/peers/routes.hpp"
#include "machine/agent/requests/introducer.hpp"
#include "machine/agent/requests/requesters.hpp"
#include "machine/agent/services/services.hpp"
#include "machine/agent/services/watches.hpp"
#include "machine/agent/shared_parts.hpp"
#include "machine/agent/siblings/siblings.hpp"
#include "machine/lasting/daemon_finder.hpp"
#include "machine/lasting/guides.hpp"
#include "machine/lasting/reader_record.hpp"
#include "machine/lasting/retirement.hpp"
#include "octavo/machine/agent.hpp"

namespace octavo {

class Agent::Loop {
 public:
  // Of a program, with a link to the hub, or of a daemon with a socket that programs come to.
  Loop(AgentOptions options, std::unique_ptr<road::Link> hub, Fd listening, std::shared_ptr<agent::SiblingWays> siblings);
  ~Loop();
  Fd join() { return std::move(joined_); }
  void wait() const { ended_.wait(false); }
  void retire();
  void note_environment() { life_.note_environment(); }
  [[nodiscard]] const agent::MemoryMeter& meter() const noexcept { return meter_; }

 private:
  // What only a lasting agent has.
  struct Daemon {
    Daemon(const std::string& home, Fd socket);
    Fd listening;
    std::unique_ptr<Registry> registry;
    agent::FileReaderRecord readers;
    agent::Retirement retirement;
    std::optional<agent::NamedObjects> objects;
    std::optional<agent::Guides> guides;
  };
  static AgentOptions completed(AgentOptions options);
  [[nodiscard]] agent::Identity identity() const;
  agent::NamedObjects* begin_names();
  void begin_program();
  void run();
  [[nodiscard]] int most_ms();
  void look_around();
  void measure();
  void end_everything();
  void stop_waiting();

  // parts.cpp: what each part is given of the others
  agent::Children::Events child_events();
  agent::Reaper::Events end_events();
  agent::PeerAgents::Events peer_events();
  agent::OpenAgentLink link_opener();
  agent::Routes::Start agent_starter();
  agent::Routes::Postpone postponer();
  agent::DaemonFinder::Surroundings around_finder();
  agent::Siblings::Surroundings around_siblings();
  agent::NameService::Surroundings around_name_service();
  void tell_death(const agent::Listener& who, const Obituary& of);
  void enter_death(agent::Child& dead, const Obituary& obituary);
  void remember_death(const Obituary& obituary);
  void hear_lost(const agent::PeerAgent& lost);

  // daemon_life.cpp: being a daemon
  void greet_guest();
  void look_at_use();
  void begin_to_retire();

  const AgentOptions options_;
  std::unique_ptr<Daemon> daemon_;  // null: this is no lasting agent
  const agent::Identity self_;
  std::atomic<bool> ended_{false};  // its hub is lost, or it has retired
  Fd joined_;
  agent::MemoryMeter meter_{agent::anonymous_bytes};
  agent::EventLoop events_;
  agent::SharedParts shared_;
  agent::DeathRegister deaths_{[this](const agent::Listener& who, const Obituary& of) { tell_death(who, of); }};
  agent::Children children_;
  agent::Reaper reaper_;
  agent::PeerAgents peers_;
  agent::Routes routes_;
  agent::Requesters requesters_;
  struct {  // to agents that there is no link with yet
    agent::DaemonFinder finder;
    agent::Siblings siblings;
  } ways_;
  agent::Watches watches_{self_, deaths_, children_, peers_, routes_};
  agent::Passivation passivation_{deaths_, children_, peers_};
  agent::NamedObjects* const objects_;  // of the daemon
  // The parts that take notices.
  agent::LifeService life_;
  agent::IntroductionService introductions_;
  agent::NameService names_;
  agent::MessageServices messages_;
  agent::Locks locks_;
  const agent::Services services_{
      life_, introductions_, names_, messages_.mailboxes, locks_, shared_.segments, messages_.channels, messages_.home_locks, messages_.home_segments};
  std::thread thread_;
};

}  // namespace octavo
