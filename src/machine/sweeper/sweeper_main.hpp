// SPDX-License-Identifier: Apache-2.0
// The sweeper of an agent: a process of its own, which outlives it for a moment, and ends what the agent's objects have started. It reads the marks of those
// that have ended from a pipe (machine/agent/children/sweeping.hpp writes them); sweeper::none, the end of the pipe or of the agent: all have.
#pragma once

namespace octavo {

// If this program was started as a sweeper: is one, and never returns.
void be_sweeper_if_asked();

}  // namespace octavo
