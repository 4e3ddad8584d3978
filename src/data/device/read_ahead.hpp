// SPDX-License-Identifier: Apache-2.0
// A device's cache of parts that are read before they are asked for. Bounded by `bytes`; the pages lie in the pool.
// What is read while it is written may be old, and would stay here when the write is done: nothing is read ahead there meanwhile.
// Threading: the device's methods, one at a time; write_ended() also by its disk's thread.
#pragma once

#include <list>
#include <mutex>
#include <optional>

#include "octavo/data/page.hpp"

namespace octavo {

class ReadAhead {
 public:
  explicit ReadAhead(std::int64_t bytes) : limit_(bytes) {}

  // Whether reading this ahead makes sense: it fits, is not here yet, and is not being written. Makes room by dropping the oldest.
  bool wants(const Box& place, dtype as);
  void keep(const Box& place, dtype as, future<ArrayPage> page);
  std::optional<future<ArrayPage>> take(const Box& place, dtype as);
  // A write makes what was read ahead there wrong.
  void forget(const Box& written);
  // One that goes on until write_ended().
  void write_begins(const Box& written);
  void write_ended(const Box& written) noexcept;

 private:
  struct Part {
    Box place;
    dtype as;
    std::int64_t bytes;
    future<ArrayPage> page;
  };
  [[nodiscard]] bool is_written(const Box& place);
  std::int64_t limit_, kept_ = 0;
  std::list<Part> parts_;  // oldest first
  std::mutex mutex_;       // of what follows
  std::list<Box> written_;
};

}  // namespace octavo
