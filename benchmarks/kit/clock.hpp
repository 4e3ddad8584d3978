// SPDX-License-Identifier: Apache-2.0
// How long something took.
#pragma once

#include <chrono>

namespace bench {

using Clock = std::chrono::steady_clock;

inline double seconds_since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }
inline double milliseconds_since(Clock::time_point begin) { return 1e3 * seconds_since(begin); }

}  // namespace bench
