// SPDX-License-Identifier: Apache-2.0
// A disk that moves nothing until it is told to, one transfer at a time and in any order: what the transfers of a device's Disk (data/io/disk.hpp) go to.
//
//   auto disk = std::make_shared<HeldDisk>();
//   Disk engine({.make_queue = [disk](int) { return disk->queue(); }});
//   engine.write(...);
//   disk->settle();                                  // the engine has submitted what it can
//   disk->end(disk->waiting() - 1, HeldDisk::outcome::fails);
//
// Threading: the engine's thread, and one other. settle() and end() return when the engine's thread has nothing to do, and so has done with what ended.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "data/io/queue.hpp"

namespace octavo::schedule {

class HeldDisk : public std::enable_shared_from_this<HeldDisk> {
 public:
  enum class outcome { done, fails };

  [[nodiscard]] std::unique_ptr<DiskQueue> queue();

  void settle();
  [[nodiscard]] std::size_t waiting();
  // The first number of what it moves, if it writes; else 0.
  [[nodiscard]] std::int32_t written_by(std::size_t at);
  void end(std::size_t at, outcome how);
  // The process is dead: the kernel has done what it had begun, which is chosen by `begun`, and nothing else happens.
  template <class Begun>
  void drop(Begun begun) {
    while (waiting() != 0) end(waiting() - 1, begun() ? outcome::done : outcome::fails);
    std::lock_guard lock(mutex_);
    dropped_ = true;
  }

 private:
  class Held;
  void submit(const Transfer& transfer);
  void wait(std::vector<Completion>& completed);
  void wake();
  [[nodiscard]] bool is_settled() const { return sleeps_ && completed_.empty() && !woken_; }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Transfer> waiting_;
  std::vector<Completion> completed_;
  bool sleeps_ = false, woken_ = false, dropped_ = false, gone_ = false;
};

}  // namespace octavo::schedule
