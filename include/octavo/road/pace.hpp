// SPDX-License-Identifier: Apache-2.0
// When to look at the cache line where something will show itself. A reader that polls all the time takes the line away from the writer, whose core has
// to get it back first: the hand-over takes up to three times as long as to a reader that looks just when it was written. So a reader leaves the line alone
// at first, for as long as it took of late, and pauses between polls from then on.
//
//   Pace pace;                                                          // one for each that is waited for
//   if (pace.comes([&] { return line_says_so(); }, 100)) take_it();     // within a rest, and so many polls after it
//
// The rest is a number of short steps, not a time: a loop that goes round as often as the last time is foreseen by the processor, which has then begun
// with what comes after it. (In steps as long as a pause, messages took a tenth more.) One that was too short grows by eight times as much as one
// that was long enough shrinks: looking too early costs more than looking too late. What lies there at once, as in a stream, is never waited for.
//
// Threading: any; two at once may each learn a little less.
#pragma once

#include <immintrin.h>

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace octavo::road {

class Pace {
 public:
  static void pause() noexcept { _mm_pause(); }  // 20 to 60 nanoseconds
  template <class There>
  static bool comes_within(int polls, const There& there) noexcept {
    for (; polls > 0; --polls) {
      if (there()) return true;
      if (polls != 1) pause();
    }
    return false;
  }
  // `there`: a load or two.
  template <class There>
  bool comes(const There& there, int polls = 0) noexcept {
    const auto rest = rest_.load(std::memory_order_relaxed);
    if (there()) {
      if (rest != 0) rest_.store(rest - (rest + 3) / 4, std::memory_order_relaxed);
      return true;
    }
    for (auto left = steps(); left != 0; --left) step();
    if (there()) {
      if (rest != 0) rest_.store(rest - shorter, std::memory_order_relaxed);
      return true;
    }
    if (rest != longest) rest_.store(std::min(rest + longer, longest), std::memory_order_relaxed);
    pause();
    return comes_within(polls, there);
  }
  [[nodiscard]] unsigned steps() const noexcept { return rest_.load(std::memory_order_relaxed) / one_step; }  // of a rest
  static constexpr unsigned most_steps = 16;                                                                  // of more there is nothing to gain

 private:
  // Some 5 to 10 nanoseconds: nothing is begun before what was begun has ended.
  static void step() noexcept {
    _mm_lfence();
    _mm_lfence();
  }
  static constexpr std::uint32_t one_step = 64, shorter = 1, longer = 8, longest = most_steps * one_step;
  std::atomic<std::uint32_t> rest_{0};
};

}  // namespace octavo::road
