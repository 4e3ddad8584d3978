// SPDX-License-Identifier: Apache-2.0
// What a device has promised to write and has not written yet: at most `bytes` are promised ahead, every later read sees them (D-6), and flush() hears what
// went wrong. The pages lie in the pool.
// Threading: the device's methods, one at a time, and, for written(), its disk's thread, which must not wait for them.
#pragma once

#include <condition_variable>
#include <deque>
#include <list>
#include <mutex>

#include "octavo/data/page.hpp"

namespace octavo {

class WriteBehind {
 public:
  explicit WriteBehind(std::int64_t bytes) : limit_(bytes) {}

  // A write of this place begins. Ready when it is to be answered: at once while all that is promised fits the limit.
  future<void> begin(const Box& place, std::int64_t bytes);
  // It has ended.
  void written(const Box& place, std::int64_t bytes, std::exception_ptr error) noexcept;

  // Return when no write that was begun meets the place, or none is under way.
  void wait_for(const Box& place);
  void wait_for_all();
  // The first error of those that ended since it was asked; null: none.
  std::exception_ptr take_error();
  [[nodiscard]] bool has_error();
  // flush() raises it, if nothing else comes first.
  void keep_error(std::exception_ptr error);

 private:
  struct Waiting {
    std::int64_t bytes;
    promise<void> admitted;
  };
  [[nodiscard]] bool meets(const Box& place) const;
  const std::int64_t limit_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::list<Box> under_way_;
  std::int64_t bytes_ = 0;
  std::deque<Waiting> waiting_;
  std::exception_ptr error_;
};

}  // namespace octavo
