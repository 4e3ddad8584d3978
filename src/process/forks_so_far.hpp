// SPDX-License-Identifier: Apache-2.0
// forks() of forked.hpp, for what is done in nanoseconds; and whose children this process and its parents are.
// Threading: any.
#pragma once

#include <sys/types.h>

#include <atomic>

namespace octavo::detail {

[[gnu::visibility("hidden")]] extern constinit std::atomic<unsigned> forks_so_far;

// The process with a Runtime of its program that this one was forked off, or what forked this one; 0: none.
pid_t forked_off() noexcept;

}  // namespace octavo::detail
