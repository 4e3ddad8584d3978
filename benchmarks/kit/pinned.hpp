// SPDX-License-Identifier: Apache-2.0
// Two that spin for each other on one processor take a time slice for each word, and the scheduler may well put them there. What is measured between
// two therefore has its processors, ours, the limits and the peers alike: this side the first, the other side the second.
#pragma once

#include <sched.h>

namespace bench {

// The first two that this program may use: asked for the first time before anything is pinned.
inline const cpu_set_t& processors() {
  static const cpu_set_t two = [] {
    cpu_set_t mine, some;
    CPU_ZERO(&some);
    if (::sched_getaffinity(0, sizeof mine, &mine) != 0) CPU_ZERO(&mine);
    for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&some) < 2; ++cpu)
      if (CPU_ISSET(cpu, &mine) != 0) CPU_SET(cpu, &some);
    return some;
  }();
  return two;
}

// This thread, and what it begins from now on.
inline void keep_to(const cpu_set_t& these) { ::sched_setaffinity(0, sizeof these, &these); }
inline void pin_to(int number) {
  cpu_set_t one;
  CPU_ZERO(&one);
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &processors()) != 0 && number-- == 0) CPU_SET(cpu, &one);
  if (CPU_COUNT(&one) == 1) keep_to(one);
}
// What the other thread, or process, says first.
inline void pin_there() { pin_to(1); }

// This thread on the first, as long as this lives.
class PinnedHere {
 public:
  PinnedHere() : known_(::sched_getaffinity(0, sizeof before_, &before_) == 0) {
    static_cast<void>(processors());
    pin_to(0);
  }
  PinnedHere(const PinnedHere&) = delete;
  PinnedHere& operator=(const PinnedHere&) = delete;
  ~PinnedHere() {
    if (known_) keep_to(before_);
  }

 private:
  cpu_set_t before_{};
  bool known_;
};

// What is made in the other process, or thread, to be measured: a base of its class.
struct There {
  There() { pin_there(); }
};

}  // namespace bench
