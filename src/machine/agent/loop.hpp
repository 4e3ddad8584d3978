// SPDX-License-Identifier: Apache-2.0
// The agent's thread: one epoll loop over control sockets, pidfds and standard errors, and what the relays to other agents post.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <thread>
#include <vector>

#include "machine/agent/requester.hpp"
#include "machine/agent/child.hpp"
#include "machine/agent/children/slots.hpp"
#include "machine/agent/deaths/death_register.hpp"
#include "machine/agent/event_loop.hpp"
#include "machine/agent/peer_agent.hpp"
#include "machine/board/board.hpp"
#include "machine/control.hpp"
#include "machine/lasting/accidents.hpp"
#include "machine/locks/lock_table.hpp"
#include "machine/registry/registry.hpp"
#include "octavo/base/clock.hpp"
#include "octavo/machine/agent.hpp"
#include "octavo/machine/pool.hpp"
#include "octavo/road/shm.hpp"

namespace octavo {

class Agent::Loop {
 public:
  // Of a program, or with a link to the hub.
  Loop(AgentOptions options, std::unique_ptr<road::Link> hub, Fd listening);
  ~Loop();
  Fd join();
  void wait();
  void retire();
  std::atomic<std::int64_t> peak{0}, peak_program{0};

 private:
  // agent.cpp: the loop, and what its processes say
  void begin_program();
  void hang_board(agent_kind kind);
  void run();
  // Handles an event of one of our processes, as long as it is there.
  agent::EventLoop::Ready on(std::uint64_t object, void (Loop::*handle)(Child&, std::uint32_t));
  void hear_control(Child& from, std::uint32_t events);
  void hear_death(Child& child, std::uint32_t events);
  void hear(Child& from);
  void tell(Child& child, const control::Notice& notice, std::span<const int> descriptors = {});
  void go_on_telling(Child& child);
  void hear_lines(Child& child, std::uint32_t events);
  void look_around();
  void obey(Child& from, control::Received& received);
  void hear_bye(Child& from, const control::Bye& bye);
  void stop_waiting();

  // requester.cpp: who wishes something, ours or theirs
  class Ours;
  class Theirs;
  std::shared_ptr<Requester> requester_of(const Child& child, const control::Notice& wish);
  std::shared_ptr<Requester> requester_of(PeerAgent& from, const talk::ForwardedRequest& ask);
  // requests.cpp: what they wish
  void fulfil(const std::shared_ptr<Requester>& requester, const control::Notice& wish);
  std::optional<PeerAgent*> who_fulfils(const Requester& requester, const control::Notice& wish);
  void fulfil_here(const std::shared_ptr<Requester>& requester, const control::Notice& wish);
  [[nodiscard]] control::Failed why_not(const control::Connect& wish) const;
  [[nodiscard]] control::Listing listing() const;
  void list_for(const std::shared_ptr<Requester>& requester);

  // begin.cpp, adopt.cpp: how objects begin and come to know each other
  Child& begin(const Requester& requester, const control::Spawn& wish);
  Child& begin_process(const control::Spawn& wish);
  Child& begin_thread(Child& requester, const control::Spawn& wish);
  Child& adopt(ProcessFacts facts, spawn::Started run, std::uint64_t host, std::optional<control::NamedHome> named = {});
  void welcome(Child& child, std::optional<control::NamedHome> named);
  void abandon(Child& child);
  void enter_road(const ProcessFacts& first, const ProcessFacts& second, road::road_kind kind);
  void introduce(Child& requester, Child& other, std::uint64_t request);
  Child* living(const Address& who);
  [[nodiscard]] std::size_t ring_bytes() const;

  // end.cpp: how they end
  void bury(std::uint64_t object);
  void hear_last_words(Child& child);
  void bury_thread(Child& child);
  [[nodiscard]] bool has_ended(std::uint64_t object) const;
  void bury_with(std::uint64_t host, const Obituary& of_host);
  void enter_death(const Obituary& obituary);
  void remember_death(const Obituary& obituary);
  void tell_death(const agent::Listener& who, const Obituary& of);
  control::Notice killed(const control::Kill& wish);
  void end_everything();
  void measure();

  // remote_machines.cpp: other machines
  PeerAgent& meet(std::unique_ptr<road::Link> link, const std::string& machine, bool hub);
  void hear_from(PeerAgent& from, ByteView bytes);
  void hear_answer(PeerAgent& from, const talk::ForwardedReply& answer);
  void finish(PeerAgent& by, const PeerAgent::Asked& asked, const control::Notice& answer);
  std::optional<PeerAgent*> agent_of_machine(const Placement& where);
  std::optional<PeerAgent*> agent_with_id(std::uint64_t agent, bool lasting = false);
  void ask(PeerAgent& other, const std::shared_ptr<Requester>& requester, const control::Notice& wish, PeerAgent::Then then);
  void join(Child& ours, PeerAgent& other, std::uint64_t channel, const ProcessFacts& peer, std::uint64_t request);
  struct ChannelEnd {
    PeerAgent& by;
    std::uint64_t channel;
    ProcessFacts whose;
  };
  void carry_on(const ChannelEnd& from, const ChannelEnd& beyond);
  void lose(PeerAgent& other, const std::string& why);
  void lose_asked(PeerAgent& lost, const PeerAgent::Asked& asked, const std::string& why);
  // Of the program; null: this is it, or there is none.
  [[nodiscard]] PeerAgent* hub() const;
  // mailboxes.cpp: who takes what is posted to a name
  struct Mailbox {
    std::string type;
    Address owner;
    std::vector<std::shared_ptr<Requester>> waiting;  // who wants to post, until there is one
  };
  void find_mailbox(const std::shared_ptr<Requester>& requester, const control::MailboxWish& wish);
  // locks.cpp: who holds which lock of this machine
  void make_locks();
  bool hear_lock(Child& from, const control::Notice& notice);
  // What is true even if it has died since.
  bool hear_release(Child& from, const control::Notice& notice);
  // watch.cpp: who is told of deaths besides those that are connected
  void watch_for(const std::shared_ptr<Requester>& requester, const control::Watch& wish);
  void watch_elsewhere(const std::shared_ptr<Requester>& requester, std::uint64_t agent, const control::Watch& wish);

  // lasting/keeper.cpp: who keeps the names
  std::optional<PeerAgent*> keeper_of_names(const std::string& machine);
  std::optional<PeerAgent*> keeper_of(const Address& who, const Requester& requester);
  [[nodiscard]] std::optional<PeerAgent*> lasting_peer() const;
  void postpone(std::shared_ptr<Requester> requester, const control::Notice& wish);
  void reach_keeper(bool again, const std::stop_token& stop);
  void refuse_postponed(const control::Failed& why);
  void greet_keeper(std::unique_ptr<road::Link> link);
  bool try_again(const PeerAgent& lost, const PeerAgent::Asked& asked);
  // lasting/named.cpp: objects with names
  Child& begin_named(const control::Spawn& wish);
  // What serves an object with a name.
  struct Service {
    std::vector<std::string> command;
    control::StateClass how;
  };
  static Service recorded(const NamedEntry& entry);
  Child& start_named(const NamedEntry& entry, const Service& by, bool fresh);
  void reach_named(const std::shared_ptr<Requester>& requester, const NamedEntry& entry, const control::Notice& wish);
  NamedEntry entry_named(const std::string& name);
  void open_named(const std::shared_ptr<Requester>& requester, const control::Open& wish);
  void reach_lasting(const std::shared_ptr<Requester>& requester, const control::Connect& wish);
  void hear_ready(Child& from, const control::Ready& ready);
  void hear_unmade(Child& from, const control::Unmade& why);
  void forget_name(std::uint64_t object);
  void settle_named(Child& child, const Obituary& obituary);
  static void answer_waiting(Named& named, const control::Failed& no);
  [[nodiscard]] control::NameList names(const control::Names& wish);
  // lasting/restart.cpp: those that died by accident
  void after_accident(const Obituary& obituary);
  std::optional<control::Failed> why_down(const NamedEntry& entry);
  // lasting/go_back.cpp: what a person asks of it
  void go_back(const std::shared_ptr<Requester>& requester, const control::GoBack& wish);
  std::optional<PeerAgent*> who_ends(const control::EndLasting& wish);
  void end_lasting(const std::shared_ptr<Requester>& requester);
  // lasting/lasting.cpp: being a daemon
  void become_lasting();
  void greet_guest();
  [[nodiscard]] int look_again_ms() const;
  void look_at_use();
  void begin_to_retire();
  void put_to_rest(Child& child);
  // lasting/idle.cpp: putting objects to rest that nobody calls
  void hear_idle(Child& from);
  void hear_parted(const control::Parted& answer);
  void part_from(const std::shared_ptr<Requester>& requester, const Address& who, std::function<void(bool)> then);
  void count_as_parted(std::uint64_t object);

  AgentOptions options_;
  Fd listening_;  // of a lasting agent
  Fd joined_;
  agent::EventLoop events_;
  std::uint64_t id_;
  std::uint32_t incarnation_ = 1;
  std::uint64_t lasting_agent_ = 0;               // of this machine, once it has said Hello
  std::map<std::uint64_t, std::string> keepers_;  // the machines of other lasting agents that were met
  double begun_ = now_seconds();
  std::uint64_t next_object_ = 1, meetings_ = 0, next_link_ = 1;
  std::uint32_t connections_ = 0;                                    // that are numbered
  std::unique_ptr<Registry> registry_;                               // of a lasting agent
  std::chrono::steady_clock::time_point last_use_;                   // of a lasting agent
  std::optional<std::chrono::steady_clock::time_point> retired_at_;  // since when its objects are told to rest
  std::map<std::uint64_t, Accidents> accidents_;                     // of a lasting agent's objects
  std::unique_ptr<Pool> pool_;
  agent::Slots slots_{Pool::most_processes, [this](unsigned slot) { return pool_->reclaim(slot); }};
  Fd board_memory_;  // open as long as it is to be found
  std::unique_ptr<StatusBoard> board_;
  Fd lock_memory_;
  std::unique_ptr<LockTable> locks_;
  std::map<std::uint64_t, Child> children_;  // the program is object 1
  agent::DeathRegister deaths_{[this](const agent::Listener& who, const Obituary& of) { tell_death(who, of); }};
  agent::StandardError standard_error_;
  std::map<std::uint64_t, std::chrono::steady_clock::time_point> silent_threads_;  // objects whose control socket ended, and since when
  std::set<std::uint64_t> unheard_;                                                // objects whose lines wait until standard error takes some
  std::mutex ended_mutex_;
  std::condition_variable ended_changed_;
  bool ended_ = false;                                  // its hub is lost, or it has retired
  std::vector<std::shared_ptr<PeerAgent>> peers_;  // after what their events use
  struct Parting {
    std::uint64_t object = 0;  // it was asked to close its connection
    std::function<void(bool)> then;
  };
  std::map<std::string, Mailbox> mailboxes_;  // of the program
  std::map<std::uint64_t, Parting> partings_;
  std::uint64_t next_parting_ = 1;
  std::vector<Named::Later> postponed_;  // until the lasting agent is reached
  std::thread thread_;
  std::jthread reaching_;
};

}  // namespace octavo
