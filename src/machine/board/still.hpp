// SPDX-License-Identifier: Apache-2.0
// Whether a whole program stands still: none of its processes goes on unless a message comes, and none is under way (process/inquiry/stillness.hpp).
// Threading: any; the rows' writers are not held up.
#pragma once

#include <cstdint>
#include <string>

#include "machine/board/layout.hpp"

namespace octavo::board {

// True if each process of this agent has stood still for `rounds` of its rounds, has said so since `earliest` (ns of the monotonic clock: a process that is
// stopped says nothing), and no process of another agent is connected with one of them. Never of a lasting agent: programs come and go there.
bool all_stand_still(const Board& board, std::uint64_t rounds, std::uint64_t earliest);

// The thread runs the methods of an object that lives in the process: what it does is said in that object's row.
bool runs_methods(const Board& board, int process, int thread);

// "Gate (process 2, pid 71) owes 1 answer; the program (pid 70) waits for process 2; ...": those that wait or owe, at most eight.
std::string text_of_waits(const Board& board, std::uint64_t now);

}  // namespace octavo::board
