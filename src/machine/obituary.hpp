// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace octavo {

// Obituary::status of a process that the agent could not reap: the program reaps every child it has, or ignores SIGCHLD.
inline constexpr int status_taken = -1;
// Of a process that may live, but is not reached from where this is told: machine_lost says why.
inline constexpr int status_unreached = -2;

}  // namespace octavo
