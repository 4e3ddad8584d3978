// SPDX-License-Identifier: Apache-2.0
// A process that is an agent and nothing else: of another machine.
#pragma once

namespace octavo {

// If this program was started as an agent: is one until its link ends, and never returns.
void be_agent_if_asked();

}  // namespace octavo
