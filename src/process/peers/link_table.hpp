// SPDX-License-Identifier: Apache-2.0
// The connections of this process, and the deaths of its peers.
//
// A death is told to the thread that reads when it has read what the dead peer had sent (take_deaths): news of a death may overtake data.
// Threading: any; `links` of refresh() is its caller's. Failure: process_died, gone_error, usage_error, as said at each.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>

#include "octavo/road/doorbell.hpp"
#include "process/peers/end_watch.hpp"
#include "process/peers/peer_link.hpp"
#include "process/peers/sleep_until.hpp"
#include "process/peers/told_deaths.hpp"

namespace octavo::detail {

class LinkTable {
 public:
  // Gets a connection with this object, which is entered before it returns.
  using Connect = std::function<PeerLink(const Address& to)>;
  using Lives = std::function<bool(std::int64_t pid)>;
  // `bell`: rung when something changed. `lasting`: of an object with a name, whose peers may let go of it.
  // `sleep`: as AgentClient's. `lives`: of a process of this machine; none: all do.
  LinkTable(road::Doorbell bell, bool lasting, EndWatch& ends, Connect connect, SleepUntil sleep = {}, Lives lives = {});

  void enter(const PeerLink& link);
  // The link that calls to this object take; gets one if there is none. Throws process_died, gone_error; also where it is this life that is over.
  PeerLink link_to(const Life& to);
  // The link that calls to this life of an object take, if there is one.
  [[nodiscard]] std::optional<PeerLink> link_if_there(const Address& to, std::int64_t pid) const;
  // Of the connections with this object one that is lost, else the first; null: there is none.
  [[nodiscard]] std::shared_ptr<road::Connection> way_to(const Address& to) const;
  // Over the link that there is, by a thread that does not read.
  road::sent_now send_small(const Address& to, const wire::SmallFrame& frame);
  // Closes all connections with this object.
  void disconnect(const Address& who);
  void forget(const ProcessFacts& peer);  // this life of it
  void forget(const PeerLink& lost);      // this connection; there may be a newer one with the same life, if it had been let go
  [[nodiscard]] std::uint64_t bytes_sent() const;

  // For the thread that reads. `links` is refreshed when something changed.
  bool refresh(std::vector<PeerLink>& links, std::uint64_t& version);
  [[nodiscard]] bool changed(std::uint64_t version) const noexcept { return version_.load(std::memory_order_acquire) != version; }
  [[nodiscard]] std::uint64_t version() const noexcept { return version_.load(std::memory_order_acquire); }
  // The reader has begun to look at all that was there at this version.
  // The reader is to look.
  void something_changed() noexcept;

  // If it was its machine or program that was lost, and it lives and a connection that no agent carries holds, it is given up by agents only: the end of that
  // connection, or of its process, is its death.
  void died(const Obituary& obituary);
  [[nodiscard]] bool reaches_given_up() const noexcept { return some_given_up_.load(std::memory_order_acquire); }
  // Their processes may have ended, and forks of these hide the ends of the connections.
  void look_at_given_up() noexcept;
  // All connections end here, and their peers hear of it, though a fork of this process may have copies of the descriptors.
  void close_all();
  // As its connection shows it now, before that was read, and the death is told.
  [[nodiscard]] bool is_seen_to_have_ended(const Address& peer) const;
  // Of a lasting address the last death is kept, and those of the lives that were watched.
  void watch(const Life& who);
  // Those whose last words are here.
  std::vector<Obituary> take_deaths();
  [[nodiscard]] bool deaths_wait() const noexcept { return deaths_wait_.load(std::memory_order_acquire); }
  [[nodiscard]] bool death_is_due() const;  // of those whose last words were not here yet
  // Of one that is dead, and that the reader has forgotten: it has no link any more.
  [[nodiscard]] std::optional<Obituary> obituary_of(const Life& peer) const;
  // Waits until this death was told of; at most `deadline`.
  std::optional<Obituary> await_obituary(const Life& peer, road::Deadline deadline);
  // Throws process_died, if the agent tells of it within some seconds; else gone_error.
  [[noreturn]] void raise_gone(const Life& to);

  [[nodiscard]] ToldDeaths& told() noexcept { return told_; }

  // The agent is gone: nobody tells of deaths, and nobody answers any more.
  void lose_agent();
  [[nodiscard]] bool orphaned() const noexcept { return orphaned_.load(std::memory_order_acquire); }

 private:
  using ByAddress = std::multimap<Address, PeerLink>;
  [[nodiscard]] bool is_early(const Obituary& death) const;  // what it said before was not read yet
  [[nodiscard]] bool is_stale(const PeerLink& link) const;
  [[nodiscard]] const Obituary* death_of(const Life& who) const;  // null: not heard of
  [[nodiscard]] bool is_reached(const ProcessFacts& peer) const;  // by a connection that no agent carries
  void enter_death(const Obituary& obituary);
  bool enter_given_up() noexcept;
  void drop_disconnected();
  template <class Which>
  void drop_those(const Address& with, Which which);
  ByAddress::iterator drop(ByAddress::iterator at);
  void count_change() noexcept { version_.fetch_add(1, std::memory_order_release); }

  const road::Doorbell bell_;
  const bool lasting_;
  EndWatch& ends_;
  const Connect connect_;
  const SleepUntil sleep_;
  const Lives lives_;
  mutable std::mutex mutex_;
  std::condition_variable heard_;  // of a death, or of the agent's end
  ByAddress links_;                // calls take the first
  std::map<Address, Obituary> dead_;
  std::map<Life, std::optional<Obituary>> watched_;
  std::vector<Obituary> deaths_;    // not yet seen by the reader
  std::vector<Obituary> given_up_;  // by their agents, and still reached
  std::atomic<bool> some_given_up_{false};
  std::atomic<bool> deaths_wait_{false};
  std::uint64_t closed_bytes_ = 0;
  std::atomic<std::uint64_t> version_{1};
  std::atomic<bool> orphaned_{false};
  ToldDeaths told_;
};

}  // namespace octavo::detail
