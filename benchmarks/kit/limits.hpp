// SPDX-License-Identifier: Apache-2.0
// What this machine can do at best, measured beside what we do: nothing of Octavo is in it.
#pragma once

#include <chrono>
#include <cstddef>

namespace bench {

// Seconds for a cache line from one core to the other, both spinning: half of to and fro.
double line_between_processes();
double line_between_threads();
// The same when each sleeps until it is woken (futex), and the other has slept for `rest` before.
double wake_between_processes();
inline constexpr auto rest = std::chrono::milliseconds(2);
// Bytes a second, one thread, from and to memory that is there.
double copying(std::size_t bytes);
double reading(std::size_t bytes);

// Above this a line travels far: the host has moved our cores apart, and nothing measured then can be compared.
inline constexpr double far_line = 90e-9;

}  // namespace bench
