// SPDX-License-Identifier: Apache-2.0
// Many processes on few processors, each of which posts to each other; and what they take while they have nothing to do.
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <octavo/group.hpp>
#include <octavo/message.hpp>
#include <vector>

namespace bench {

using Letters = octavo::Mailbox<long>;

class Member {
 public:
  void know(std::vector<Letters> boxes) { boxes_ = std::move(boxes); }
  // In each round a message to each other member, and as many from them.
  void exchange(int rounds);
  int pid() { return ::getpid(); }

 private:
  std::vector<Letters> boxes_;
};
OCTAVO_REMOTE(Member, know, exchange, pid)

class Crowd {
 public:
  static constexpr int size = 20;
  Crowd();
  double messages_per_second() const;
  double idle() const;  // seconds of processor time that all of them took in `idle_time`, after they had worked

 private:
  octavo::group<Member> members_;
  std::vector<pid_t> pids_;
};

// The limit: as many processes that write cache lines to each other and give the processor away while they wait (sched_yield).
double lines_in_a_crowd_per_second();
// The limit: seconds that as many processes take that wake once in `idle_time`.
double waking_crowd();
inline constexpr int idle_milliseconds = 1000;

}  // namespace bench
