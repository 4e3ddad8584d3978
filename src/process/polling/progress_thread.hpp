// SPDX-License-Identifier: Apache-2.0
// Reads what nobody waits for, in the program: a thread that sleeps while others read, and reads where none has for a while. A thread that calls again and
// again is not to get the reader's role back from it each time. It runs the program's callbacks, and blocks the signals that the thread which needed it first
// blocks: what a callback begins inherits that.
// Threading: any; end() before what `read` uses ends.
#pragma once

#include <thread>

#include "process/polling/waiters.hpp"

namespace octavo::detail {

class ProgressThread : NoCopy {
 public:
  // `read`: reads until it is to give way.
  using Read = std::function<void(const std::function<bool()>& give_way)>;
  ProgressThread(Waiters& waiters, Read read) : waiters_(waiters), read_(std::move(read)) {}
  ~ProgressThread() { end(); }

  // Throws std::system_error where there can be no more threads.
  void need();
  void end() noexcept;

 private:
  void run();
  Waiters& waiters_;
  const Read read_;
  std::mutex mutex_;
  std::thread thread_;
};

}  // namespace octavo::detail
