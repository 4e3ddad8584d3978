// SPDX-License-Identifier: Apache-2.0
// A test that could hang opens with a Watchdog: after `seconds` (four times as many under a sanitizer, where all takes longer) it prints the stacks of all
// threads and aborts.
//
//   octavo::kit::Watchdog watchdog(10);
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

namespace octavo::kit {

// Called first in main: serves objects if this program was started as a server of another run of it.
void before_tests(int argc, char** argv);

class Watchdog {
 public:
  explicit Watchdog(int seconds = 30);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  // fork(2) of a test that is watched. The child is not, and never had this thread: ThreadSanitizer would still count it there.
  [[nodiscard]] int fork();

 private:
  void begin();
  void end();
  int seconds_;
  std::mutex mutex_;
  std::condition_variable over_;
  bool done_ = false;
  std::thread thread_;
};

}  // namespace octavo::kit
