// SPDX-License-Identifier: Apache-2.0
// The reader's role is lent while a method runs: its thread may wait outside of Octavo, say for a thread that calls another object.
//
// Whatever of Octavo the method uses takes the role back for as long. Where the bulk of its call is still on the road, the role is lent when it was read.
// Threading: the thread that runs methods, which has the role.
#pragma once

#include <memory>

#include "octavo/wire/frame.hpp"
#include "process/polling/waiters.hpp"

namespace octavo::detail {

class LentReading : NoCopy {
 public:
  explicit LentReading(Waiters& waiters) : waiters_(waiters) { begin(); }
  LentReading(Waiters& waiters, wire::Message& call);
  ~LentReading();

 private:
  class Bulk;
  void begin() noexcept {
    lent_ = waiters_.is_server() && waiters_.is_reader();  // else this is a coroutine of the program, or of another thread
    if (lent_) waiters_.lend();
  }

  Waiters& waiters_;
  wire::Message* call_ = nullptr;                // whose bulk is still on the road
  std::shared_ptr<wire::PendingBulk> its_bulk_;  // as it came
  bool lent_ = false;
};

}  // namespace octavo::detail
