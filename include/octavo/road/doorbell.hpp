// SPDX-License-Identifier: Apache-2.0
// How one process waits for all its connections: a process or thread that gives it something to do rings its doorbell. One cache line in
// shared memory; ringing costs a load unless the owner sleeps, then one futex call.
//
//   Doorbell mine = Doorbell::make();             // its descriptor can be handed to other processes
//   mine.wait([&] { return something_to_do(); }, deadline);   // the owner, one thread at a time
//   yours.ring();                                 // anybody, after making something to do visible
//
// An owner that must wait for descriptors too sleeps in epoll; its bell is of the polled kind, with an eventfd beside the line:
//
//   Doorbell mine = Doorbell::make_polled();      // epoll watches mine.event() for EPOLLIN; both descriptors are handed over
//   bool sleep = mine.doze([&] { return something_to_do(); });
//   bool rung = poll_for_events(sleep ? timeout : 0);         // whether mine.event() was among them
//   mine.woke(rung);
//
// B-1  If ring() follows a change that makes the condition true, wait() returns, and so does the epoll_wait behind doze(): no
//      lost wake-up. (A process that opened a polled bell without its event can ring an owner in wait() only.) One that comes in the very
//      moment of falling asleep may take until `first_sleep` is over: see doorbell.cpp.
// B-2  wait() spins for a moment that adapts to whether spinning has paid, or would have, lets other threads run that want the core (it spins less where there
// are
//      some), then sleeps without using the processor. doze()
//      does not spin, and an owner in epoll is written to once, however often it is rung.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

#include "octavo/base/fd.hpp"
#include "octavo/base/poll_budget.hpp"

namespace octavo::road {

using Clock = std::chrono::steady_clock;
using Deadline = Clock::time_point;
inline constexpr Deadline never = Deadline::max();
inline constexpr std::chrono::microseconds first_sleep{500};

class Doorbell {
 public:
  static Doorbell make();
  static Doorbell make_polled();
  // Another process's, from the descriptors it handed over; `number`: of Doorbells. Throws io_error.
  static Doorbell open(Fd memory, Fd event = {}, unsigned number = 0);

  void ring() const noexcept;
  // True when `ready` is, false at the deadline. `ready` is called often: keep it short.
  template <class Ready>
  bool wait(const Ready& ready, Deadline deadline = never) const {
    return spin(ready) || sleep(ready, deadline);
  }
  // The same by one other thread of the owner, which does not spin: whatever the owner does meanwhile.
  void wait_beside(const std::function<bool()>& ready) const;
  // Announces a sleep in epoll and looks once more: false if `ready` is true, then do not sleep. woke() follows in both cases.
  [[nodiscard]] bool doze(const std::function<bool()>& ready) const;
  // `rung`: epoll said that event() is readable.
  void woke(bool rung) const noexcept;
  // Of late other threads wanted this core: a thread that polls keeps it short.
  [[nodiscard]] bool oversubscribed() const noexcept;
  [[nodiscard]] int descriptor() const noexcept;  // -1 if it was opened: its owner hands it on
  [[nodiscard]] int event() const noexcept;       // -1 if this is not a polled one

 private:
  friend class Doorbells;
  struct Line;
  struct Mapping;
  template <class Ready>
  bool spin(const Ready& ready) const {
    for (int i = 0, polls = PollBudget::bell_at_once.now(oversubscribed()); i < polls; ++i)
      if (ready()) return true;
    for (auto spell = begin_spell(); go_on(spell);)
      if (ready()) return spun(true);
    return spun(false);
  }
  [[nodiscard]] PollBudget::Spell begin_spell() const noexcept;
  // Pauses, or gives the others of this core a turn. False: it has lasted long enough.
  bool go_on(PollBudget::Spell& spell) const noexcept;
  bool spun(bool paid) const noexcept;  // gives `paid`
  bool sleep(const std::function<bool()>& ready, Deadline deadline) const;
  bool sleep_at(std::atomic<std::uint32_t>& asleep, const std::function<bool()>& ready, Deadline deadline) const;
  explicit Doorbell(std::shared_ptr<Mapping> mapping) : mapping_(std::move(mapping)) {}
  static std::shared_ptr<Mapping> map(const Fd& memory, unsigned number);
  std::shared_ptr<Mapping> mapping_;
};

// The bells of many processes behind one descriptor: who has it, and the number of a bell, can ring that.
class Doorbells {
 public:
  explicit Doorbells(unsigned count);
  // For an owner that begins: whoever had this number is gone. Its descriptor is that of all.
  [[nodiscard]] Doorbell make(unsigned number) const;

 private:
  std::shared_ptr<const Fd> memory_;
};

}  // namespace octavo::road
