// SPDX-License-Identifier: Apache-2.0
// Which buffer makes room. A scan that is longer than the buffers and comes again and again gets nothing from those used last (LRU); so most buffers keep
// what they have, and new blocks take turns in the others, until one comes back sooner than a kept one was last used.
//
//   Replacement replacement(buffers);
//   replacement.enters(buffer);  replacement.used(buffer);  replacement.idles(buffer);
//   std::uint32_t last = replacement.leaves(buffer);                                           // when its block was used last
//   int leaving = replacement.choose(replacement.now() - last, [](int buffer) { return is_free_to_leave; });   // that block comes back; never: it is new
//
// Of very many buffers it looks at some, each time at others. Time is counted in blocks that were brought. idles(): from now on used() would be called if it
// were used, which takes a look (Buffers::bring). Threading: one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace octavo::detail {

class Replacement {
 public:
  static constexpr std::uint32_t never = UINT32_MAX;
  explicit Replacement(int buffers);

  void enters(int buffer);
  std::uint32_t leaves(int buffer);
  void used(int buffer);
  void idles(int buffer);
  // -1: none may.
  [[nodiscard]] int choose(std::uint32_t away, const std::function<bool(int)>& may);
  [[nodiscard]] std::uint32_t now() const noexcept { return now_; }
  // Of those that take turns: how many may be filled ahead without the latest having to go.
  [[nodiscard]] int ahead() const noexcept { return ahead_; }

 private:
  struct Held {
    bool there = false, kept = false, idle = false;
    std::uint32_t used = 0, since = 0;  // as far as is known; since: it idles, or was used
  };
  struct Oldest {
    int kept = -1, turning = -1;
  };
  [[nodiscard]] Oldest oldest(const std::function<bool(int)>& may);
  [[nodiscard]] Held& at(int buffer) { return held_[static_cast<std::size_t>(buffer)]; }

  std::vector<Held> held_;
  int turns_, ahead_, kept_ = 0;  // how many take turns; how many are kept
  int first_ = 0;                 // to be looked at next
  std::uint32_t now_ = 1;
};

}  // namespace octavo::detail
