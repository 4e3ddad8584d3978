// SPDX-License-Identifier: Apache-2.0
// A machine without an agent and without processes: what the parts of endpoints find around them (src/process/peers/surroundings.hpp) is made by the test,
// and their connections are thread roads.
//
//   kit::BareMachine machine;
//   auto &one = machine.add(), &two = machine.add();            // surroundings of two endpoints
//   Poller poller(one.around(), client);                        // a part alone, or a whole Endpoint
//   auto [near, far] = machine.connect(one, two);               // else they are connected when one of them calls the other
//   machine.kill(two);                                          // its connections end, and the others hear of its death
//
// Threading: add() before the endpoints are used, the rest by any thread.
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "octavo/road/thread.hpp"
#include "process/peers/surroundings.hpp"

namespace octavo::kit {

class BareMachine;

class BareSurroundings {
 public:
  BareSurroundings(BareMachine& machine, unsigned slot);
  BareSurroundings(const BareSurroundings&) = delete;
  BareSurroundings& operator=(const BareSurroundings&) = delete;
  // On the clock, if there is one.
  bool sleep(const std::function<bool()>& ready, road::Clock::duration longest);

  [[nodiscard]] detail::Surroundings around() { return {self, named, pool, board, row, bell, links, agent, locks, asked_to_passivate, clock}; }
  // What was told to the agent, which there is none of.
  [[nodiscard]] std::optional<control::Notice> told();

  ProcessFacts self;
  std::optional<control::NamedHome> named;
  Pool pool;
  StatusBoard board;
  OwnRow row;
  road::Doorbell bell = road::Doorbell::make();
  std::pair<Fd, Fd> control;
  detail::AgentClient agent;
  detail::EndWatch ends;
  detail::LinkTable links;
  std::shared_ptr<detail::LockClient> locks;
  std::atomic<bool> asked_to_passivate{false};
  detail::ReaderClock* clock = nullptr;
};

class BareMachine {
 public:
  // What a connection is seen as by an endpoint: say one that tells of each use.
  using Wrap = std::function<std::shared_ptr<road::Connection>(const BareSurroundings& owner, std::shared_ptr<road::Connection> end)>;
  // Instead of connect_to(), where agents take part.
  using Connect = std::function<detail::PeerLink(BareSurroundings& asking, const Address& to)>;
  explicit BareMachine(Wrap wrap = {}, Connect connect = {}) : wrap_(std::move(wrap)), connect_(std::move(connect)) {}

  BareSurroundings& add();
  [[nodiscard]] BareSurroundings* find(const Address& address);
  // One more connection, entered at both.
  std::pair<detail::PeerLink, detail::PeerLink> connect(BareSurroundings& one, BareSurroundings& two);
  // Connects it with the endpoint of this address, as an agent does when it is asked. Throws gone_error, if that is dead.
  detail::PeerLink connect_to(BareSurroundings& asking, const Address& to);
  void kill(BareSurroundings& who);
  // The first half of it: nobody is told, and the ends of its connections are to be heard.
  void crash(BareSurroundings& who);
  [[nodiscard]] bool is_dead(const BareSurroundings& who) const { return dead_[slot_of(who)].load(); }

  [[nodiscard]] const Fd& pages() const noexcept { return pages_; }
  [[nodiscard]] const Fd& rows() const noexcept { return rows_; }

 private:
  static constexpr unsigned most = 16;
  [[nodiscard]] static unsigned slot_of(const BareSurroundings& who) { return static_cast<unsigned>(who.self.address.object); }
  [[nodiscard]] static Obituary death_of(const BareSurroundings& who);

  const Wrap wrap_;
  const Connect connect_;
  Fd pages_ = Pool::make(16 << 20);
  Fd rows_;
  std::mutex mutex_;
  std::deque<BareSurroundings> all_;
  std::array<std::atomic<bool>, most> dead_{};
};

}  // namespace octavo::kit
