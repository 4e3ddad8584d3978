// SPDX-License-Identifier: Apache-2.0
// Whether this process was forked off one that had a Runtime, or served an object. Threading: any; a child is told before fork(2) returns there.
#pragma once

namespace octavo::detail {

// How many processes, from the one that had the first Runtime to this one, were forked off one that had a Runtime. What was made with another number is not
// this process's.
unsigned forks() noexcept;

}  // namespace octavo::detail
