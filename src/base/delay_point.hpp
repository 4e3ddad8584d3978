// SPDX-License-Identifier: Apache-2.0
// Where threads and processes hand over to each other, a build with OCTAVO_DELAYS (the presets asan and tsan) delays some of them, so that a minute
// shows what a busy machine shows in an hour. In other builds this is nothing.
//
//   link.connection->send(out);
//   delay_point("call: sent, not yet looked whether its process had died");
//
// OCTAVO_DELAY_SEED in the environment decides who is delayed, where and for how long (delay_choices.hpp), in this process and those it starts. Without it,
// or with 0, nobody is. The mains of the tests draw one and print it.
#pragma once

#include <cstdint>

namespace octavo {

#ifdef OCTAVO_DELAYS
inline constexpr bool delays_are_built = true;
void delay_point(const char* name) noexcept;
// What tells this process's choices from those of the others: set when it learns its number.
void set_delayed_process(std::uint64_t number) noexcept;
// From now on: of one that a debugger steps, which is to do the same each time.
void delay_this_thread_never() noexcept;
#else
inline constexpr bool delays_are_built = false;
constexpr void delay_point(const char*) noexcept {}
constexpr void set_delayed_process(std::uint64_t) noexcept {}
constexpr void delay_this_thread_never() noexcept {}
#endif

}  // namespace octavo
