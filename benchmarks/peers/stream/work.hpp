// SPDX-License-Identifier: Apache-2.0
// The work of one item: a chain of dependent multiply-adds, calibrated once, and not elapsed time: who loses its processor must still do it.
// Used by the peers and by our own rows. Nothing of Octavo is in it.
#pragma once

#include <chrono>
#include <cstdint>

namespace work {

inline std::uint64_t chain(std::uint64_t value, std::uint64_t steps) {
  for (std::uint64_t i = 0; i < steps; ++i) value = value * 6364136223846793005u + 1442695040888963407u;
  return value;
}

// How many steps take so long: of the fastest of several tries.
inline std::uint64_t steps_of(std::uint64_t nanoseconds) {
  static const double steps_per_nanosecond = [] {
    constexpr std::uint64_t steps = 1'000'000;
    double best = 0;
    for (int i = 0; i < 20; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      volatile std::uint64_t sink = chain(static_cast<std::uint64_t>(i), steps);
      (void)sink;
      const auto took = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
      if (steps / took > best) best = steps / took;
    }
    return best;
  }();
  return static_cast<std::uint64_t>(static_cast<double>(nanoseconds) * steps_per_nanosecond);
}

}  // namespace work
