// SPDX-License-Identifier: Apache-2.0
// A thread that may outlive the Runtime of its program, or be surprised by its end: a daemon thread of Python's that calls while the program exits.
#pragma once

#include "octavo/base/no_copy.hpp"

namespace octavo::detail {

// While it lives, the program's Runtime does not go: its end fails what the thread waits for, and waits until the thread is out of here. Under a Runtime of
// its own (`use()`, an object's thread), and in a second Visit of one thread, it does nothing. The wait for a promise has to look for ends() now and then.
class Visit : NoCopy {
 public:
  Visit() noexcept;
  ~Visit();
  [[nodiscard]] bool counts() const noexcept { return counts_; }
  [[nodiscard]] static bool ends() noexcept;  // the Runtime of the program does

 private:
  bool counts_;
  unsigned life_;  // of this process: of one that was forked off meanwhile the visit is not
};

}  // namespace octavo::detail
