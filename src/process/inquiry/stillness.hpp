// SPDX-License-Identifier: Apache-2.0
// Whether this process stands still: nothing in it goes on unless a message comes. Its watch thread finds out once a round and writes it into the
// process's row of the status board; whoever waits there sees whether the whole program stands still (machine/board/still.hpp, Q-6 in inquiry.hpp).
//
// A process stands still in a round if
//  - its methods run no code: none has begun, or the innermost waits for an answer without a deadline;
//  - no call waits in its queue, no coroutine may go on, and it has asked its agent for nothing;
//  - its reader has looked at all connections since the round before;
//  - no request is under way outside of Octavo's connections (OutsideWork: disks);
//  - each thread that is not Octavo's own sleeps until another thread wakes it: the kernel says futex(2) without a timeout. One that sleeps for a
//    time, reads a file or a socket, waits for a child or computes may yet make a call;
//  - it has begun, ended and received no call, and begun no wait, since the round before.
// Threading: as each says.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "machine/board/layout.hpp"
#include "octavo/base/no_copy.hpp"

namespace octavo::detail {

using OutsideCount = std::shared_ptr<std::atomic<std::int64_t>>;

class Stillness {
 public:
  struct Facts {
    bool may_go_on = true;  // by what is in this process, without its other threads
    std::uint64_t looked_version = 0;
    std::array<std::uint64_t, 5> counters{};
    const board::Board* board = nullptr;  // of its machine
  };
  // The watch thread, once a round: how many rounds in a row this process has stood still. `asked`: what the reader will have seen once it has looked.
  std::uint64_t round(const Facts& facts, std::uint64_t asked);
  [[nodiscard]] std::uint64_t rounds() const noexcept { return rounds_.load(std::memory_order_relaxed); }  // any thread

  // The thread that runs methods, once: what it does is in the row.
  void serves_here();
  // Any thread: a request that is answered later is counted there.
  [[nodiscard]] const OutsideCount& outside() const noexcept { return outside_; }
  // Any thread, once: all other threads of this process work only while a method runs or a job does.
  void threads_only_serve() noexcept { threads_only_serve_.store(true); }

  // While it lives, its thread does nothing but wait for answers, though it looks up now and then (for Ctrl-C, to show progress).
  class OnlyWaits : NoCopy {
   public:
    OnlyWaits();  // at the calling thread's endpoint
    ~OnlyWaits();

   private:
    std::atomic<int>& thread_;
    bool mine_;
  };

 private:
  [[nodiscard]] bool some_thread_may_act(const board::Board* board) const;
  [[nodiscard]] bool some_thread_is_awake(const board::Board* board) const;
  std::atomic<int> serving_{0}, only_waits_{0};  // thread ids of the kernel
  std::atomic<bool> threads_only_serve_{false};
  std::atomic<std::uint64_t> rounds_{0};
  OutsideCount outside_ = std::make_shared<std::atomic<std::int64_t>>(0);
  std::uint64_t asked_before_ = UINT64_MAX;  // nothing was asked yet
  std::array<std::uint64_t, 5> counters_{};
};

// Waits for answers at most so long, to look up: nothing but `done` ends what the caller waits for.
bool look_up_after(std::chrono::milliseconds time, const std::function<bool()>& done);

// Counts what this process has under way at a disk: no process that has some stands still.
class OutsideWork {
 public:
  OutsideWork();  // of the calling thread's endpoint; without one it counts for nobody
  void begins() const noexcept {
    if (count_) count_->fetch_add(1, std::memory_order_relaxed);
  }
  void ends() const noexcept {
    if (count_) count_->fetch_sub(1, std::memory_order_relaxed);
  }

 private:
  OutsideCount count_;
};

}  // namespace octavo::detail
