// SPDX-License-Identifier: Apache-2.0
// One thread at a time, in the order in which they came: an end of a channel is one thread's at a time in C++, and any thread's in Python.
//
//   { const Turnstile::Pass pass(turnstile); writer.post_for(value, time); }      // in steps, so that those who wait come between
//
// Threading: any; nobody waits here with the interpreter's lock.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace octavo::bindings {

class Turnstile {
 public:
  class Pass {
   public:
    explicit Pass(Turnstile& through) : through_(through) { through.enter(); }
    ~Pass() { through_.leave(); }
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    Turnstile& through_;
  };
  // False: another thread is there, or waits.
  [[nodiscard]] bool is_free() {
    const std::lock_guard lock(mutex_);
    return now_ == next_;
  }

 private:
  void enter() {
    std::unique_lock lock(mutex_);
    const auto mine = next_++;
    changed_.wait(lock, [&] { return now_ == mine; });
  }
  void leave() {
    {
      const std::lock_guard lock(mutex_);
      ++now_;
    }
    changed_.notify_all();
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t next_ = 0, now_ = 0;
};

}  // namespace octavo::bindings
