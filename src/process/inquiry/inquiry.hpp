// SPDX-License-Identifier: Apache-2.0
// No call waits in silence: the caller of one that has waited for long asks its callee what became of it.
//
// Q-1  The watch thread of the caller's process looks at the unanswered calls four times in the patience that octavo::inquiry_patience() gives, and sends an
//      inquiry for each that was unanswered the last time, too. The callee's reader answers: queued, running, owed or unknown.
// Q-2  A call that is unknown twice in a row fails with gone_error, which names it. (An answer that was sent before is read before: R-1. Twice, as
//      two processes may have two connections with each other.)
// Q-3  A call whose connection is lost, though its agent does not say that its callee died, fails after three rounds.
// Q-5  Of a callee that runs a method, owes the answer, is stopped or is slow, no call fails. It answers when it reads again.
// Nothing else fails: who waits for whom, and since when, `octavo ps` shows (machine/board).
// Threading: as each says.
#pragma once

#include <chrono>
#include <map>
#include <mutex>

#include "process/calls/pending_calls.hpp"

namespace octavo::detail {

// In the flags of a frame of kind `inquiry`.
enum class call_fate : std::uint8_t { asked = 0, queued, running, owed, unknown };

// 60 s, or what OCTAVO_PATIENCE says, in seconds.
std::chrono::milliseconds inquiry_patience();

class Inquiries {
 public:
  using Time = std::chrono::steady_clock::time_point;
  static constexpr int most_unknown = 2, most_lost = 3;
  struct Asked {
    std::uint64_t call = 0;
    Address to;
    std::int64_t life = 0;
    std::uint64_t method = 0;
    Time since;  // the first round at which it was there
  };
  // The watch thread, once a round, with the lock of `pending`: the calls that were unanswered in the round before. `next`: the next call's number.
  std::vector<Asked> due(const PendingCalls& pending, std::uint64_t next, Time now);
  void nothing_waits(std::uint64_t next, Time now) noexcept {  // the same, where there is none
    below_ = next;
    round_ = now;
  }
  // Any thread: the call is found unknown, or its connection lost, once more. True when that was at least `most` times in a row.
  enum class doubt_of : std::uint8_t { none, unknown, lost };
  bool doubt(std::uint64_t call, doubt_of why, int most);
  void trust(std::uint64_t call);  // its callee knows it
  bool ask(std::uint64_t call);    // false: it was asked, and its callee has not read that yet
  void answered(std::uint64_t call);

 private:
  static constexpr std::size_t most_at_once = 256;
  std::uint64_t below_ = 0;  // calls with lower numbers were there a round ago
  Time round_;               // which was then
  std::uint64_t after_ = 0;  // where there are more than can be asked at once: those up to here were
  std::mutex mutex_;
  struct Doubts {
    bool asked = false;  // and not answered yet
    doubt_of why = doubt_of::none;
    int count = 0;
    Time since;
  };
  std::map<std::uint64_t, Doubts> doubts_;  // by call
};

}  // namespace octavo::detail
