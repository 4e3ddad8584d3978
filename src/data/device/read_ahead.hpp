// SPDX-License-Identifier: Apache-2.0
// A device's cache: parts read before they are asked for, and the bytes that may be written behind. Bounded by `bytes`; the pages
// lie in the pool. Touched by the device's methods and, for written(), by its disk's thread.
#pragma once

#include <deque>
#include <list>
#include <mutex>
#include <optional>

#include "octavo/data/page.hpp"

namespace octavo {

class ReadAhead {
 public:
  explicit ReadAhead(std::int64_t bytes) : limit_(bytes) {}

  // Whether reading this ahead makes sense: it fits, and is not here yet. Makes room by dropping the oldest.
  bool wants(const Box& place, dtype as);
  void keep(const Box& place, dtype as, future<ArrayPage> page);
  std::optional<future<ArrayPage>> take(const Box& place, dtype as);
  // A write makes what was read ahead there wrong.
  void forget(const Box& written);

  // Ready when `bytes` more may be written behind: at once while they fit the limit.
  future<void> admit(std::int64_t bytes);
  void written(std::int64_t bytes);

 private:
  struct Part {
    Box place;
    dtype as;
    std::int64_t bytes;
    future<ArrayPage> page;
  };
  struct WriteBehind {
    std::int64_t bytes;
    promise<void> admitted;
  };
  std::int64_t limit_, kept_ = 0;
  std::list<Part> parts_;  // oldest first
  std::mutex mutex_;       // of what is written behind
  std::int64_t behind_ = 0;
  std::deque<WriteBehind> waiting_;
};

}  // namespace octavo
