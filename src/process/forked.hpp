// SPDX-License-Identifier: Apache-2.0
// A process that was forked off one with a Runtime has none of it: what it inherited are copies, without the threads, on memory that the owner goes on
// using. So no endpoint is in force there until it makes a Runtime of its own, and what is asked of the inherited one is a usage_error.
// Threading: any.
#pragma once

#include <sys/types.h>

namespace octavo::detail {

// How many processes, from the one that had the first Runtime to this one, were forked off one that had a Runtime. What was made with another number is not
// this process's.
unsigned forks() noexcept;

[[noreturn]] void raise_forked(pid_t owner);  // usage_error

// The threads that wait at the endpoint that is in force look again. Also by threads that may outlive the Runtime (of a disk, of the user): it does not end
// meanwhile.
void wake_current() noexcept;

// What waits for a promise at the program's endpoint is to look (Visit::ends()).
void program_ends() noexcept;

}  // namespace octavo::detail
