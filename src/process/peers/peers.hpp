// SPDX-License-Identifier: Apache-2.0
// Whom this process is connected with, and how it learns of new ones and of deaths: the link to its agent and the watch thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "machine/board/board.hpp"
#include "machine/control.hpp"
#include "octavo/machine/pool.hpp"
#include "octavo/road/shm.hpp"
#include "process/locks/lock_client.hpp"
#include "process/thread_host.hpp"

namespace octavo::detail {

class Peers {
 public:
  struct Link {
    ProcessFacts facts;
    std::optional<wire::PageRoute> route;  // in the pool that it shares with us
    std::shared_ptr<road::Connection> connection;
  };
  // What this process is to its agent: the program, a process of its own, or an object on a thread of another's.
  enum class role : std::uint8_t { program, process, thread };

  // Does `part`, and returns true, if nothing is under way between this process and that one; nothing begins meanwhile.
  using MayPart = std::function<bool(const Address& who, const std::function<void()>& part)>;
  // `each_round`: what the watch thread does four times in inquiry_patience() (process/inquiry/inquiry.hpp).
  Peers(Fd control, role mine, std::shared_ptr<ThreadHost> host, MayPart may_part, std::function<void()> each_round);
  ~Peers();
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  [[nodiscard]] const ProcessFacts& self() const noexcept { return self_; }
  [[nodiscard]] Pool& pool() noexcept { return *pool_; }
  // Where this process and those beside it show what they do.
  [[nodiscard]] StatusBoard& board() noexcept { return *board_; }
  [[nodiscard]] OwnRow& row() noexcept { return *row_; }
  [[nodiscard]] const road::Doorbell& bell() const noexcept { return *bell_; }

  // The link calls to this object take: made by the agent when there is none yet. Throws process_died, gone_error.
  Link link_to(const Address& to);
  // The link that calls to this life of an object take, if there is one. Asks nobody.
  [[nodiscard]] std::optional<Link> link_if_there(const Address& to, std::int64_t pid) const;
  // Of the connections with this object one that is lost, else the first; null: there is none.
  [[nodiscard]] std::shared_ptr<road::Connection> way_to(const Address& to) const;
  // Over the link that there is, by who does not read.
  road::sent_now send_small(const Address& to, const wire::SmallFrame& frame);
  Link spawn(control::Spawn wish);
  std::vector<ProcessFacts> list();
  void kill(const Address& who, int signal);
  MachineFacts facts_of(const std::string& machine);
  Link open(const std::string& machine, const std::string& name, const std::vector<std::string>& command, std::vector<control::StateClass> known);
  std::vector<NamedFacts> names(const std::string& machine, const std::string& prefix);
  void go_back(const std::string& machine, const std::string& name);
  void end_lasting(const std::string& machine);
  // Who reads a mailbox: this process from now on; or whoever does, which `then` is told by the watch thread, at once or when somebody has begun to.
  void own_mailbox(const std::string& name, const std::string& type);
  using WhenFound = std::function<void(const Address& owner, const std::exception_ptr& error)>;
  void find_mailbox(const std::string& name, const std::string& type, const Address& lost, WhenFound then);
  // The locks of this machine (process/locks/lock.hpp). `then` is told by the watch thread, also that the agent is gone.
  [[nodiscard]] const std::shared_ptr<LockClient>& locks() const noexcept { return locks_; }
  unsigned open_lock(lock_kind kind, const std::string& name, std::int64_t initial);
  using WhenLocked = std::function<void(const control::LockAnswer& answer, const std::exception_ptr& error)>;
  std::uint64_t ask_for_lock(control::LockWish wish, WhenLocked then);
  void say_bye(bool resting) const;
  void say_ready(std::uint64_t generation) const;
  void say_idle() const;
  void say_unmade(const error& why) const;
  [[nodiscard]] std::optional<control::NamedHome> named() const { return named_; }
  // The agent wants the object saved and ended.
  [[nodiscard]] bool asked_to_rest() const noexcept { return asked_to_rest_.load(std::memory_order_acquire); }
  // The deaths of these are told of, as those of connected ones are.
  void watch_deaths(std::span<const Address> who) const;

  // For the reader. `links` is refreshed when something changed.
  bool refresh(std::vector<Link>& links, std::uint64_t& version);
  [[nodiscard]] bool changed(std::uint64_t version) const noexcept { return version_.load(std::memory_order_acquire) != version; }
  [[nodiscard]] std::uint64_t version() const noexcept { return version_.load(std::memory_order_acquire); }
  // The reader has begun to look at all that was there at this version.
  [[nodiscard]] std::uint64_t looked_at() const noexcept { return looked_at_.load(std::memory_order_acquire); }
  // The agent was asked, and has not answered.
  [[nodiscard]] bool has_asked() const;
  // Those whose last words are here: what a net road carries may be overtaken by the news of the death of who sent it.
  std::vector<Obituary> take_deaths();
  [[nodiscard]] bool deaths_wait() const noexcept { return deaths_wait_.load(std::memory_order_acquire); }
  [[nodiscard]] bool death_is_due() const;  // of those whose last words were not here yet
  void forget(const ProcessFacts& peer);    // this life of it
  void forget(const Link& lost);            // this connection; there may be a newer one with the same life, if it had been let go
  // The reader is to look.
  void something_changed() {
    version_.fetch_add(1, std::memory_order_release);
    bell_->ring();
  }
  // Of one that is dead and that the reader has forgotten.
  [[nodiscard]] std::optional<Obituary> obituary_of_forgotten(const ProcessFacts& peer) const;
  [[nodiscard]] std::optional<Obituary> obituary_of(const Address& peer) const;  // of one that has no link any more
  // Waits until the agent has told of this death; at most `deadline`.
  std::optional<Obituary> await_obituary(const Address& peer, road::Deadline deadline);
  // The agent is gone: nobody answers any more. (A process with one of its own ends then.)
  [[nodiscard]] bool orphaned() const noexcept { return orphaned_.load(std::memory_order_acquire); }
  [[nodiscard]] std::uint64_t bytes_sent() const;

 private:
  struct Answer {
    bool there = false;
    Link link;
    std::vector<ProcessFacts> list;
    std::vector<NamedFacts> names;
    MachineFacts facts;
    std::optional<control::Failed> failed;
    unsigned lock = 0;
    control::LockAnswer lock_answer;
    WhenFound then;  // nobody waits for it
    WhenLocked then_locked;
  };
  [[noreturn]] static void raise(const control::Failed& failed);
  void run();
  bool hear();
  void hear_end(int descriptor);
  void connected(control::Received& received, const control::Connected& notice);
  static void expect_descriptors(const control::Received& received, std::size_t count, const char* what);
  std::shared_ptr<road::Connection> open_road(control::Received& received, const control::Connected& notice);
  void lose_agent();
  [[nodiscard]] bool is_early(const Obituary& death) const;  // what it said before was not read yet
  bool part_from(const Address& who);
  void drop_parted();
  std::multimap<Address, Link>::iterator drop(std::multimap<Address, Link>::iterator at);
  void answer(std::uint64_t request, const std::function<void(Answer&)>& fill);
  template <class Wish>
  Answer ask(Wish wish);
  template <class Wish>
  std::uint64_t ask_later(Wish wish, Answer then);
  static void tell(const Answer& answer);
  void watch(int descriptor) const;

  Fd control_, epoll_, stop_;
  role role_;
  MayPart may_part_;
  std::function<void()> each_round_;
  std::shared_ptr<ThreadHost> host_;
  ProcessFacts self_;
  std::optional<control::NamedHome> named_;
  std::unique_ptr<Pool> pool_;
  std::optional<StatusBoard> board_;
  std::optional<OwnRow> row_;
  std::unique_ptr<road::Doorbell> bell_;
  std::shared_ptr<LockClient> locks_;

  mutable std::mutex mutex_;
  std::condition_variable answered_;
  std::map<std::uint64_t, Answer> answers_;
  std::uint64_t next_request_ = 1;
  std::map<std::pair<lock_kind, std::string>, std::pair<unsigned, std::int64_t>> opened_locks_;  // their numbers, and how they began
  std::multimap<Address, Link> links_;                                                           // calls take the first
  std::map<int, std::weak_ptr<road::Connection>> watched_;
  std::map<Address, Obituary> dead_;
  std::vector<Obituary> deaths_;  // not yet seen by the reader
  std::atomic<bool> deaths_wait_{false};
  std::uint64_t closed_bytes_ = 0;
  std::atomic<std::uint64_t> version_{1}, looked_at_{0};
  std::atomic<bool> orphaned_{false}, asked_to_rest_{false};
  std::thread thread_;
};

}  // namespace octavo::detail
