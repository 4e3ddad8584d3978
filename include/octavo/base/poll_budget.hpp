// SPDX-License-Identifier: Apache-2.0
// How long a thread polls for what it waits for before it sleeps, gives its turn away or goes another way: decided here, for all waits. (When it looks
// meanwhile, road/pace.hpp says.)
//
//   for (int poll = 0; poll < PollBudget::mutex.usual; ++poll) ...                             // always as long
//   for (int poll = 0; poll < PollBudget::edge_lanes.now(bell.oversubscribed()); ++poll) ...   // shorter where others want the core
//
//   PollBudget budget(PollBudget::answer);                                                     // learns; one for each that waits
//   comes_within(budget.now(bell.oversubscribed())) ? budget.paid() : budget.was_in_vain();
//
// Threading: a budget is changed by one thread at a time, and read by any.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace octavo {

// Of one way of waiting. A number of polls, if it does not say something else.
struct PollLimits {
  int usual;                         // where it learns: at first
  int oversubscribed = usual;        // where others want this core: the one that is waited for may be among them
  int fewest = usual, most = usual;  // where it learns
  std::uint64_t nap = 0;             // a sleep that was shorter had better been polled through
  int after_a_nap = 1;               // then it polls so many times as long
  [[nodiscard]] constexpr int now(bool is_oversubscribed) const noexcept { return is_oversubscribed ? oversubscribed : usual; }
};

class PollBudget {
 public:
  // --- polls that follow each other at once ---
  // Of whatever a bell is rung for: what comes within a microsecond is not to wait for the end of a pause.
  static constexpr PollLimits bell_at_once{.usual = 100, .oversubscribed = 4};
  // Of an edge's ring in this process: a nanosecond or two each.
  static constexpr PollLimits edge_ring{.usual = 400, .oversubscribed = 2};
  // Of a lock whose holder is about to unlock, before the turn is given away at each poll.
  static constexpr PollLimits spin_lock{.usual = 100};

  // --- polls with pauses of 20 to 60 nanoseconds between them ---
  // At a bell, thereafter: about 2 to 200 microseconds. The nap is in cycles, 100 to 150 microseconds.
  static constexpr PollLimits bell{.usual = 256, .fewest = 64, .most = 8192, .nap = 300'000, .after_a_nap = 4};
  // Between saying that the owner of a bell sleeps, and its sleep: about 300 nanoseconds, for a store takes less to become visible.
  static constexpr PollLimits before_sleep{.usual = 8};
  // The answer to a small call: some tens of microseconds at most, as other connections are not looked at meanwhile.
  static constexpr PollLimits answer{.usual = 64, .oversubscribed = 4, .fewest = 8, .most = 512};
  // The next call of one that called twice: a fraction of what a round of everything takes. Each is one of `likely_line`.
  static constexpr PollLimits next_call{.usual = 20};
  // The lanes, by a thread that waits at an edge. Each may be one of `likely_line`.
  static constexpr PollLimits edge_lanes{.usual = 100, .oversubscribed = 2};
  // The line where it will come, most likely, before all others are looked at.
  static constexpr PollLimits likely_line{.usual = 4};
  // Room in a lane, by a thread that may wait for it: everything is read after each, as the lane's reader may wait for that.
  static constexpr PollLimits lane_room{.usual = 64, .oversubscribed = 1};
  // The next slice of a ring, or room for it: the other side is copying one, which takes less than any way of waiting.
  static constexpr PollLimits slice{.usual = 200};
  // A block of pages, locked: some microseconds, as its holder is about to unlock it.
  static constexpr PollLimits block_lock{.usual = 200};
  // A mutex between processes: a few microseconds, in which most holders have done.
  static constexpr PollLimits mutex{.usual = 100};

  // --- nanoseconds, within which the turn is given away between polls ---
  // Of a relay: an answer that comes soon finds it awake, but one with nothing to do is to use no processor.
  static constexpr PollLimits relay{.usual = 2'000, .fewest = 2'000, .most = 150'000, .nap = 150'000, .after_a_nap = 8};

  explicit PollBudget(const PollLimits& limits) noexcept : limits_(limits), now_(limits.usual) {}

  [[nodiscard]] int now() const noexcept { return now_.load(std::memory_order_relaxed); }
  [[nodiscard]] int now(bool is_oversubscribed) const noexcept { return is_oversubscribed ? limits_.oversubscribed : now(); }
  void paid() noexcept { set(std::min(limits_.most, 2 * now())); }
  void was_in_vain() noexcept { set(std::max(limits_.fewest, now() / 2)); }
  // After that, so long, in the unit of the nap.
  void slept(std::uint64_t how_long) noexcept {
    if (how_long < limits_.nap) set(std::min(limits_.most, limits_.after_a_nap * now()));
  }

  // What a thread does between two polls at a bell: pauses mostly, and gives others of its core a turn now and then. Turns that they take count as polls.
  class Spell {
   public:
    enum class next : std::uint8_t { pause, give_turn, end };
    explicit Spell(int polls) noexcept : left_(polls) {}
    [[nodiscard]] next after_a_poll(bool oversubscribed) noexcept {
      oversubscribed_ = oversubscribed;
      if (--left_ < 0) return next::end;
      if (!oversubscribed && --pauses_ > 0) return next::pause;
      pauses_ = between_turns;
      return next::give_turn;
    }
    // Whether somebody else ran: it took longer than the system call does by itself. One that an interrupt came into takes as long now and then.
    bool turn_took(std::uint64_t cycles) noexcept {
      const bool took_longer = cycles > of_another;
      const bool another_ran = took_longer && (oversubscribed_ || last_took_longer_ || cycles > of_another_surely);
      last_took_longer_ = took_longer;
      if (another_ran) left_ -= polls_of_a_turn;
      if (cycles > of_a_long_turn) left_ = 0;
      return another_ran;
    }

   private:
    static constexpr int between_turns = 64;                    // about 2 microseconds; the turn takes a fraction of one where nobody wants it
    static constexpr int polls_of_a_turn = 15;                  // that another took
    static constexpr std::uint64_t of_another = 3'000;          // one that only looks and gives its turn back takes 3,600; the system call 520
    static constexpr std::uint64_t of_another_surely = 10'000;  // 3 to 5 microseconds
    static constexpr std::uint64_t of_a_long_turn = 2'000'000;  // about a millisecond: others compute, and hundreds of such turns are seconds
    int left_, pauses_ = between_turns;
    bool oversubscribed_ = false, last_took_longer_ = false;
  };

 private:
  void set(int polls) noexcept { now_.store(polls, std::memory_order_relaxed); }

  const PollLimits limits_;
  std::atomic<int> now_;
};

}  // namespace octavo
