// SPDX-License-Identifier: Apache-2.0
// Wall-clock time for people; durations are measured with std::chrono::steady_clock.
#pragma once

#include <chrono>

namespace octavo {

inline double now_seconds() { return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count(); }

}  // namespace octavo
