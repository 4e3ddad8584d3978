// SPDX-License-Identifier: Apache-2.0
// Coroutines that may go on, and wait for the thread that runs them: in a server the one of its methods, in the program one that reads. Those of other
// threads in a server, which are none of the object's, may also be run by one of these while it reads.
// Held by the endpoint and by those it is to resume, which may outlive it: then they are refused, and end unresumed.
// Threading: any thread; no lock is held while a coroutine runs or is destroyed.
#pragma once

#include <deque>

#include "machine/board/board.hpp"
#include "octavo/process/detail/state.hpp"
#include "process/context/call_context.hpp"
#include "process/polling/waiters.hpp"

namespace octavo::detail {

class Executor;

// Owns the coroutine until it goes on: one that never will is destroyed, and the promise of its result is broken.
class Resumption final : public Continuation {
 public:
  // Goes on at `home`, within calls of this root; without one, on the thread that makes ready what it awaits.
  Resumption(std::coroutine_handle<> handle, const StateBase& awaited, std::shared_ptr<Executor> home, std::uint64_t root, const CallToAll& to_all = {})
      : handle_(handle), home_(std::move(home)), root_(root), to_all_(to_all), awaited_(&awaited) {
    count(1);
  }
  ~Resumption() override {
    if (handle_) handle_.destroy();
    count(-1);
  }
  void tell(std::unique_ptr<Continuation> self) override;
  void resume() { std::exchange(handle_, nullptr).resume(); }
  void let_go() noexcept { handle_ = nullptr; }

 private:
  friend class Executor;
  void count(int change) noexcept;
  std::coroutine_handle<> handle_;
  std::shared_ptr<Executor> home_;
  std::uint64_t root_;  // of the call that it belongs to
  CallToAll to_all_;
  const StateBase* awaited_;  // only compared
};

class Executor {
 public:
  static constexpr std::uint64_t any_root = 0;
  static constexpr std::uint64_t no_method = UINT64_MAX;  // the root of what belongs to other threads in a server
  // Where the coroutines go on.
  struct Home {
    Waiters& waiters;
    CallContext& context;
    OwnRow& row;
  };
  explicit Executor(const Home& home) : home_(home) {}

  void post(std::unique_ptr<Resumption> what);
  // Resumes the first coroutine, or the first that descends from this root. False: there is none.
  bool run_one(std::uint64_t root = any_root);
  [[nodiscard]] bool has(std::uint64_t root = any_root) const;
  // A coroutine that awaited this lies here, and may not be resumed while a method of this root runs.
  [[nodiscard]] bool holds_back(const StateBase& awaited, std::uint64_t root) const;
  // Coroutines that wait for anything and are to go on here.
  [[nodiscard]] int alive() const noexcept { return alive_.load(); }
  // The threads that wait at the endpoint look again.
  void wake();
  // The end of the Runtime: the coroutines that wait are destroyed, and so are all that come.
  void close();

 private:
  friend class Resumption;
  mutable std::mutex mutex_;
  std::optional<Home> home_;  // none: closed
  std::deque<std::unique_ptr<Resumption>> queue_;
  std::atomic<std::size_t> count_{0};
  std::atomic<int> alive_{0};
};

}  // namespace octavo::detail
