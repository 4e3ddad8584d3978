// SPDX-License-Identifier: Apache-2.0
// Where the threads at one side of a belt (belt.hpp) wait. The thread that lets them go on does so in strokes: a wake-up costs thousands of times what an item
// does.
//
//   gate.wait([&] { return slot_is_full(n); }, n + half);   // best woken when number n + half is there
//   gate.passed(n);                                        // by the other side, after each: almost always one load, and no locked instruction
//
// A thread sleeps lightly at first, for a nap: it is woken when the number that it named is there, or when none was woken for a nap. When nothing came
// within a nap it sleeps until anything does, and has the other threads' writes made visible before it looks for the last time (membarrier(2)). So an item
// waits no longer than a nap, and one that comes alone does not wait. Naps become longer, up to `longest_nap`, while two items and more come in each: there
// are as many wake-ups as threads that sleep in a nap, and each takes a core from a stage. Threading: any.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

#include "octavo/base/steps.hpp"

namespace octavo::stream {

// What the threads of a run begin with, sleep by and have as time, where that is not the machine: tests/schedule.
class Played {
 public:
  using Clock = std::chrono::steady_clock;
  virtual ~Played() = default;
  virtual void start(std::function<void()> work) = 0;  // on a thread of its own
  virtual void join() = 0;                             // all that were started
  virtual void step() = 0;                             // another thread may come between
  // Until `ready`; false after `time`.
  virtual bool sleep(const std::function<bool()>& ready, std::chrono::microseconds time) = 0;
  [[nodiscard]] virtual Clock::time_point now() const = 0;
};
// Of items whose belts (belt.hpp) are to step between what they do; those of Loop do it with a lock, and are not to.
template <class T>
inline constexpr bool is_played = false;

class Gate {
 public:
  static constexpr std::chrono::microseconds shortest_nap{100}, longest_nap{800};

  // Until `ready`, which reads what the other side writes.
  template <class Ready>
  void wait(const Ready& ready, std::uint64_t wanted) {
    for (int poll = 0; poll < polls_; ++poll) {
      if (ready()) return;
      pause();
    }
    for (bool deep = false; !ready();) {
      if (!deep) choose_nap(wanted);
      const auto told = begin_to_sleep(wanted, deep);
      const bool woken = ready() || sleep(told, deep);
      end_sleep(deep);
      deep = !woken;
    }
  }
  void passed(std::uint64_t number) noexcept {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    if ((fences_ ? sleepers_.fetch_add(0, std::memory_order_acq_rel) : sleepers_.load(std::memory_order_relaxed)) != 0) look(number);
  }
  // After a change that concerns all.
  void wake_all() noexcept;
  // Before it sleeps a thread looks so often again; none where threads are more than cores.
  void poll_first(int polls) noexcept { polls_ = polls; }
  void play(Played* by) noexcept { played_ = by; }

 private:
  static void pause() noexcept;
  void choose_nap(std::uint64_t wanted) noexcept;
  std::uint32_t begin_to_sleep(std::uint64_t wanted, bool deep) noexcept;
  // False: nobody woke it within a nap.
  bool sleep(std::uint32_t told, bool deep) noexcept;
  void end_sleep(bool deep) noexcept;
  void look(std::uint64_t number) noexcept;

  const bool fences_ = !RealSteps::barrier_possible();
  int polls_ = 0;
  Played* played_ = nullptr;
  std::atomic<std::uint32_t> sleepers_{0}, deep_{0};  // so many threads
  std::atomic<std::uint32_t> told_{0};                // how often they were woken: the futex
  std::atomic<std::uint64_t> wanted_{0};
  std::atomic<std::uint32_t> looks_{0};      // since a thread began to sleep; not each one asks for the time
  std::atomic<std::int64_t> last_woken_{0};  // nanoseconds
  std::atomic<std::int64_t> nap_{std::chrono::nanoseconds(shortest_nap).count()};
  std::atomic<std::uint64_t> last_wanted_{0};
  std::atomic<std::uint32_t> came_{0};  // items from sleep to sleep of late, in 16ths
};

}  // namespace octavo::stream
