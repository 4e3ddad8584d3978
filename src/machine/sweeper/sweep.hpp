// SPDX-License-Identifier: Apache-2.0
// Ends the processes that have a mark (mark.hpp).
//
//   sweeper::sweep(marks, sweeper::whole);              // what the processes with these marks have started
//   sweeper::sweep({{mark}}, sweeper::of_agent);        // what all objects of an agent have
//
// By SIGKILL, and by pidfds: a number that another process has by then is not touched. A resource tracker of Python's multiprocessing gets a second to end by
// itself, as it does when the others have: it removes what they have left in /dev/shm. Threading: any. Failure: false.
#pragma once

#include <span>

#include "machine/sweeper/mark.hpp"

namespace octavo::sweeper {

// Returns when a look at all processes finds none, also of those that they started meanwhile; false: after 5 s some still are.
bool sweep(std::span<const Mark> marks, Mark compared);

}  // namespace octavo::sweeper
