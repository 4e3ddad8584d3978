// SPDX-License-Identifier: Apache-2.0
// No call waits in silence: the caller of one that has waited for long asks its callee what became of it.
//
// Q-1  The watch thread of the caller's process looks at the unanswered calls four times in the patience that octavo::inquiry_patience() gives, and sends an
//      inquiry for each that was unanswered the last time, too. The callee's reader answers: queued, running, owed, stalled or unknown.
// Q-2  A call that is unknown twice in a row fails with gone_error, which names it. (An answer that was sent before is read before: R-1. Twice, as
//      two processes may have two connections with each other.)
// Q-3  A call whose connection is lost, though its agent does not say that its callee died, fails after three rounds.
// Q-4  A callee says `stalled` of a call that it owes while it stands still (stillness.hpp) and waits for no answer. Four times in a row, the caller
//      logs it: only another call can bring the answer (a gate that somebody is to open), or nothing.
// Q-5  A callee that runs a method, is stopped or is slow answers when it reads again; until then nothing fails.
// Q-6  Where every process of the program has stood still for the patience, and none is connected with another program or machine, no other call can
//      come either: the call fails with call_stalled, which names the process that waits and the one that owes. Calls whose callee itself waits for an answer
//      fail when they were found so for twice the patience: the end of a chain comes first, and a circle of coroutines has none.
// Threading: as each says.
#pragma once

#include <chrono>
#include <map>
#include <mutex>

#include "process/calls/pending_calls.hpp"

namespace octavo::detail {

// In the flags of a frame of kind `inquiry`.
enum class call_fate : std::uint8_t { asked = 0, queued, running, owed, stalled, unknown };

// 60 s, or what OCTAVO_PATIENCE says, in seconds.
std::chrono::milliseconds inquiry_patience();

class Inquiries {
 public:
  static constexpr int most_unknown = 2, most_lost = 3, most_stalled = 4, most_owed = 8;
  static constexpr std::uint64_t rounds_of_stillness = 4;
  struct Asked {
    std::uint64_t call = 0;
    Address to;
    std::int64_t life = 0;
    std::uint64_t method = 0;
  };
  // The watch thread, once a round, with the lock of `pending`: the calls that were unanswered in the round before. `next`: the next call's number.
  std::vector<Asked> due(const PendingCalls& pending, std::uint64_t next);
  void nothing_waits(std::uint64_t next) noexcept { below_ = next; }  // the same, where there is none
  // Any thread: the call is found unknown, stalled, or its connection lost, once more. True when that was at least `most` times in a row.
  enum class doubt_of : std::uint8_t { none, unknown, lost, stalled, owed };
  bool doubt(std::uint64_t call, doubt_of why, int most);
  void trust(std::uint64_t call);      // its callee knows it, and goes on
  bool tell_once(std::uint64_t call);  // true the first time
  bool ask(std::uint64_t call);        // false: it was asked, and its callee has not read that yet
  void answered(std::uint64_t call);

 private:
  static constexpr std::size_t most_at_once = 256;
  std::uint64_t below_ = 0;  // calls with lower numbers were there a round ago
  std::uint64_t after_ = 0;  // where there are more than can be asked at once: those up to here were
  std::mutex mutex_;
  struct Doubts {
    bool asked = false;  // and not answered yet
    doubt_of why = doubt_of::none;
    int count = 0;
    bool told = false;
  };
  std::map<std::uint64_t, Doubts> doubts_;  // by call
};

}  // namespace octavo::detail
