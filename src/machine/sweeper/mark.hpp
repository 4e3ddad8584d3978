// SPDX-License-Identifier: Apache-2.0
// The mark of an object's process, by which all that it has started is known, whatever became of parents, sessions, environments and descriptors: the soft
// limit RLIMIT_LOCKS, which the kernel hands on by fork(2) and execve(2), shows to the same user (prlimit(2)), and has not used since Linux 2.4.25.
//
//   sweeper::put_on(mark);                         // in the object's process
//   if (sweeper::mark_on(pid) == mark) ...
//
// A mark is a number of its agent's in the upper half, and of the process in the lower. Threading: any.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace octavo::sweeper {

using Mark = std::uint64_t;
inline constexpr Mark none = 0;
inline constexpr Mark of_agent = ~Mark{0} << 32, whole = ~Mark{0};  // what of two marks is compared

// Of an agent that begins: no other's, and never what the kernel takes for no limit.
Mark random_agent();
// This process is marked from now on; `none`: it has no mark any more. False: the system does not let it.
bool put_on(Mark mark) noexcept;
// Of another process; `none` also where it has ended, or is another user's.
Mark mark_on(pid_t process) noexcept;

}  // namespace octavo::sweeper
