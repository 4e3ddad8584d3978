// SPDX-License-Identifier: Apache-2.0
// Threads of which one runs at a time, chosen by a seed, on a clock of their own: the same seed gives the same run.
//
//   Turns turns(seed);
//   turns.run({[&] { ...; turns.step(); ... }, [&] { turns.sleep([&] { return something; }, road::never); }});
//
// A thread goes on until it calls step(), where another may be chosen, or sleep(), where others run until `ready` is true for it. Each thread looks at its own
// `ready`, and only after another has done something. Where all sleep, time passes until the next deadline; where there is none, the run is stuck.
// Threading: run() by one thread; the rest by the threads that it runs, while it is their turn.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <random>
#include <vector>

#include "octavo/road/doorbell.hpp"

namespace octavo::schedule {

class Turns {
 public:
  explicit Turns(std::uint64_t seed) : random_(seed) {}

  // Nothing can go on, whatever time it is: it is to end all waits.
  std::function<void()> on_stuck;
  // At each step.
  std::function<void()> on_step;

  void run(const std::vector<std::function<void()>>& bodies);
  void step();
  bool sleep(const std::function<bool()>& ready, road::Deadline deadline);
  // This thread is not chosen any more, until release_all().
  void park(std::size_t thread) { threads_[thread].parked = true; }
  void release_all();
  // A call ran, or was answered.
  void something_done() noexcept { jumps_ = 0; }
  // Something happened that no thread has done.
  void something_happened() noexcept { ++happened_; }

  [[nodiscard]] road::Clock::time_point now() const noexcept { return now_; }
  [[nodiscard]] std::uint64_t steps() const noexcept { return steps_; }
  [[nodiscard]] bool was_stuck() const noexcept { return was_stuck_; }
  // Which of its bodies runs.
  [[nodiscard]] std::size_t mine() const noexcept { return chosen_; }
  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  bool one_in(std::uint64_t many) { return draw(many) == 0; }

 private:
  static constexpr int most_jumps_in_time = 2'000;  // without something done: a search for cycles goes on as long as anything waits
  struct Thread {
    std::condition_variable turn;
    bool ended = false, parked = false, sleeps = false;
    int looking = 0;              // at its `ready`
    std::uint64_t looked_at = 0;  // what had happened then
    road::Deadline deadline;
  };
  [[nodiscard]] bool may_run(const Thread& thread) const;
  void pass_on();
  [[nodiscard]] bool choose();
  bool let_time_pass();
  void unstick();

  std::mt19937_64 random_;
  std::mutex mutex_;
  std::deque<Thread> threads_;
  std::size_t chosen_ = 0;
  std::uint64_t steps_ = 0, happened_ = 1;
  // Behind the machine's own, which begins with it: a deadline that the library took from that one is far away here, not over before it begins.
  road::Clock::time_point now_{std::chrono::seconds(1)};
  int jumps_ = 0;
  bool was_stuck_ = false;
};

}  // namespace octavo::schedule
