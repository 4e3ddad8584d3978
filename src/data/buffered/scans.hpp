// SPDX-License-Identifier: Apache-2.0
// What the threads that use an array look for and write to, one block after the other: in even steps, what comes next can be read ahead, and what lies behind
// will not be written to again.
//
//   Scan& scan = scans.of_this_thread();
//   std::int64_t step = scan.looks_for(17);   // 0: in no even steps, or the one it looked for last
//
// Threading: one thread at a time is in it.
#pragma once

#include <cstdint>
#include <thread>
#include <vector>

namespace octavo::detail {

class Scan {
 public:
  explicit Scan(std::thread::id thread) : thread_(thread) {}
  [[nodiscard]] std::thread::id thread() const { return thread_; }
  std::int64_t looks_for(std::int64_t block);
  // The block that it wrote to before, and the one two even steps behind this; -1: none, or this is the latest still.
  struct Behind {
    std::int64_t before = -1, two_steps = -1;
  };
  Behind writes(std::int64_t block);

 private:
  std::thread::id thread_;
  std::int64_t latest_ = -1, step_ = 0;
  std::int64_t written_ = -1, write_step_ = 0;
};

class Scans {
 public:
  // Of very many threads it knows the latest.
  Scan& of_this_thread();
  void forget() { known_.clear(); }

 private:
  std::vector<Scan> known_;
  std::size_t next_ = 0;  // makes room
};

}  // namespace octavo::detail
