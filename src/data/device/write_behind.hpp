// SPDX-License-Identifier: Apache-2.0
// What a device has promised to write and has not written yet: at most `bytes` are promised ahead, every later read sees them (D-6), and flush() hears what
// went wrong: whoever flushes next, and each program that wrote what was lost at its own next flush. The pages lie in the pool.
// Threading: the device's methods, one at a time, and, for written(), its disk's thread, which must not wait for them.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "octavo/data/page.hpp"

namespace octavo {

class WriteBehind {
 public:
  // A program, by its agent's number; 0: not known, or whichever flushes next.
  using Program = std::uint64_t;

  explicit WriteBehind(std::int64_t bytes) : limit_(bytes) {}

  // A write of this place begins. Ready when it is to be answered: at once while all that is promised fits the limit.
  future<void> begin(const Box& place, std::int64_t bytes);
  // It has ended; `by` wrote it.
  void written(const Box& place, std::int64_t bytes, const std::exception_ptr& error, Program by) noexcept;

  // Return when no write that was begun meets the place, or none is under way.
  void wait_for(const Box& place);
  void wait_for_all();
  // For a flush by this program: the first error of its own writes, or that of others if no flush has raised it; null: none.
  std::exception_ptr take_error(Program by);
  // The programs that have an error to hear of yet, in order; with a flush by this program, once that has raised its own.
  [[nodiscard]] std::vector<Program> still_to_hear(std::optional<Program> flushing = {});
  // These are to hear of it, if nothing else comes first.
  void keep_error(const std::exception_ptr& error, const std::vector<Program>& programs);

 private:
  struct Waiting {
    std::int64_t bytes;
    promise<void> admitted;
  };
  [[nodiscard]] bool meets(const Box& place) const;
  static bool is_heard(const std::pair<const Program, std::exception_ptr>& each, Program by, const std::exception_ptr& error);
  const std::int64_t limit_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::list<Box> under_way_;
  std::int64_t bytes_ = 0;
  std::deque<Waiting> waiting_;
  std::map<Program, std::exception_ptr> errors_;  // the first that each is to hear of
};

}  // namespace octavo
