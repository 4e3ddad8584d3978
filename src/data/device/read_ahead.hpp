// SPDX-License-Identifier: Apache-2.0
// A device's cache of parts that are read before they are asked for. Bounded by `bytes`; the pages lie in the pool.
// Threading: the device's methods, one at a time.
#pragma once

#include <list>
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

 private:
  struct Part {
    Box place;
    dtype as;
    std::int64_t bytes;
    future<ArrayPage> page;
  };
  std::int64_t limit_, kept_ = 0;
  std::list<Part> parts_;  // oldest first
};

}  // namespace octavo
