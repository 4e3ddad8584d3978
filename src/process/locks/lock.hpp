// SPDX-License-Identifier: Apache-2.0
// One lock as one endpoint knows it: what octavo::Mutex, Semaphore and Condition are made of (src/message). One of the home (home_lock.cpp) is the lasting
// agent's, which is asked for all that is done with it; its word is this process's, and says which of its threads has it.
//
//   auto lock = Lock::open(lock_kind::mutex, "m");       // throws usage_error, refused, gone_error
//   lock->word()                                         // of a mutex
//   lock->request({.at_once = false}, deadline)          // asks the agent, and waits as for a call
//   lock->release(1);
//
// Threading: any.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>

#include "octavo/road/doorbell.hpp"
#include "process/forks_so_far.hpp"
#include "process/peers/lock_client.hpp"

namespace octavo::detail {

class Lock;

// That this thread waits for a mutex, by itself or at a condition. Meanwhile the thread may run a method (C-3), which must not lock the same mutex: it would
// wait for its own thread.
struct WaitsFor {
  explicit WaitsFor(const Lock& mutex) noexcept;
  ~WaitsFor();
  WaitsFor(const WaitsFor&) = delete;
  WaitsFor& operator=(const WaitsFor&) = delete;
  const LockWords::Word& word;
  const WaitsFor* const outer;
};

// Called ten times a second while a thread waits: what it throws ends the wait.
using LookUp = void (*)();

struct ThisThread {
  std::uint32_t number = 0;  // of this process, from 1; never used again
  const WaitsFor* innermost = nullptr;
  [[nodiscard]] bool waits_for(const LockWords::Word& word) const noexcept {
    for (const auto* each = innermost; each != nullptr; each = each->outer)
      if (&each->word == &word) return true;
    return false;
  }
};
ThisThread& this_thread() noexcept;

class Lock {
 public:
  static std::shared_ptr<Lock> open(lock_kind kind, const std::string& name, std::int64_t initial = 0);
  Lock(std::shared_ptr<LockClient> client, lock_kind kind, std::string name, unsigned number)
      : client_(std::move(client)), kind_(kind), name_(std::move(name)), number_(number), word_(client_->words()[number_]) {}
  Lock(std::shared_ptr<LockClient> client, const control::HomeLock& of)
      : client_(std::move(client)), kind_(of.kind), name_(of.name), number_(0), word_(client_->home_word(of.name)), home_(of) {}

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] LockWords::Word& word() const noexcept { return word_; }
  [[nodiscard]] bool of_home() const noexcept { return home_.has_value(); }
  // What a mutex's word says when this thread holds it.
  [[nodiscard]] std::uint64_t mine(const ThisThread& thread) const noexcept { return lock_word::of(client_->slot(), thread.number); }
  // Throws usage_error.
  void check_here() const;
  // Throws usage_error in a process that was forked off the one that has it, whose lock it stays.
  void check_process() const;
  // Of a mutex; also without a Runtime. False if this thread does not hold it; no thread of a forked process does, though it has its parent's number.
  [[nodiscard]] bool unlock() const { return !is_inherited() && (of_home() ? unlock_home() : client_->unlock(number_, mine(this_thread()))); }

  struct RequestOptions {
    bool at_once = false;         // or not at all
    const Lock* mutex = nullptr;  // of a condition: given up meanwhile
  };
  // The agent's answer. At the deadline the agent is asked to decide at once. Throws lock_abandoned, refused, usage_error, gone_error.
  lock_outcome request(const RequestOptions& options, road::Deadline deadline) const;
  // Of an event or a barrier: what the agent says to this. What waits gives up at the deadline, and when `look` throws. Throws as request() does, but of
  // abandoned locks.
  struct Told {
    lock_outcome outcome{};
    std::uint64_t value = 0;
    std::optional<Obituary> died;
  };
  Told tell(lock_verb verb, road::Deadline deadline, LookUp look = nullptr) const;  // NOLINT(modernize-use-nodiscard): that it is done may be all
  // Tells the agent that units are released, or waiters notified.
  void release(std::uint64_t how_many) const {
    check_process();
    if (of_home()) say({.how_many = how_many});
    else client_->tell(control::LockRelease{kind_, number_, how_many});
  }

 private:
  [[nodiscard]] bool is_inherited() const noexcept { return life_ != forks_so_far.load(std::memory_order_relaxed); }
  control::LockAnswer ask(const control::LockRequest& request, const Lock& wanted, road::Deadline deadline, LookUp look = nullptr) const;
  // home_lock.cpp
  struct Said {
    std::uint64_t how_many = 0, recalled = 0;
  };
  static std::shared_ptr<Lock> open_home(const control::HomeLock& lock);
  void say(const Said& said) const;
  [[nodiscard]] bool unlock_home() const;
  lock_outcome request_home(const RequestOptions& options, const Lock& wanted, road::Deadline deadline) const;
  control::LockAnswer ask_home(const control::HomeLockRequest& request, const Lock& wanted, road::Deadline deadline) const;

  const std::shared_ptr<LockClient> client_;
  const lock_kind kind_;
  const std::string name_;
  const unsigned number_;
  LockWords::Word& word_;
  const std::optional<control::HomeLock> home_;
  const unsigned life_ = forks_so_far.load(std::memory_order_relaxed);  // of the process (forked.hpp)
  const pid_t process_ = ::getpid();
};

}  // namespace octavo::detail
