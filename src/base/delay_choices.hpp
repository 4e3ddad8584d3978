// SPDX-License-Identifier: Apache-2.0
// Whether a thread goes on, gives its turn away or sleeps at a point that it comes by: decided by a seed, which process and thread it is, and what it
// came by before. One seed in five leaves a point alone, others dwell on it: so each seed tries another way of things to fall together.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace octavo {

class DelayChoices {
 public:
  enum class what : std::uint8_t { nothing, yield, sleep };
  struct Choice {
    what to_do = what::nothing;
    std::chrono::microseconds time{0};  // to sleep
    bool operator==(const Choice&) const = default;
  };

  constexpr DelayChoices(std::uint64_t seed, std::uint64_t process, std::uint64_t thread) : seed_(seed), state_(mix(mix(seed + process) + thread)) {}

  constexpr Choice next(std::string_view point) {
    constexpr std::uint64_t weights[] = {0, 1, 1, 4, 16};  // NOLINT(modernize-avoid-c-arrays)
    const std::uint64_t weight = weights[mix(seed_ ^ hash(point)) % std::size(weights)];
    const std::uint64_t lot = draw() % lots, length = draw();
    if (lot < weight * long_sleeps) return {what::sleep, std::chrono::microseconds(200 + length % 4800)};
    if (lot < weight * sleeps) return {what::sleep, std::chrono::microseconds(1 + length % 100)};
    if (lot < std::min(weight * yields, lots / 2)) return {what::yield, {}};
    return {};
  }

 private:
  static constexpr std::uint64_t lots = 1 << 14, long_sleeps = 2, sleeps = 64, yields = 512;  // of weight 1

  static constexpr std::uint64_t mix(std::uint64_t x) {  // SplitMix64's finalizer
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
  }
  static constexpr std::uint64_t hash(std::string_view text) {  // FNV-1a
    std::uint64_t sum = 0xcbf29ce484222325u;
    for (char c : text) sum = (sum ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    return sum;
  }
  constexpr std::uint64_t draw() { return mix(state_ += 0x9e3779b97f4a7c15u); }

  std::uint64_t seed_, state_;
};

}  // namespace octavo
