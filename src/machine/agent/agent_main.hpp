// SPDX-License-Identifier: Apache-2.0
// A process that is an agent and nothing else: of another machine.
#pragma once

namespace octavo {

// How its program is told: "play NAME", its link at spawn::control_descriptor, or "last NAME", there a pipe to say that it listens; its home
// is the working directory.
inline constexpr const char* agent_variable = "OCTAVO_AGENT";

// If this program was started as an agent: is one until its link ends, and never returns.
void be_agent_if_asked();

}  // namespace octavo
