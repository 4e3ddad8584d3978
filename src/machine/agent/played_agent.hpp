// SPDX-License-Identifier: Apache-2.0
// The agent that plays a machine on its program's host (octavo::played, machine/engine.hpp), told so by OCTAVO_AGENT (engine/played_role.hpp).
#pragma once

#include <string>

namespace octavo::agent {

// Returns when its link has ended. Throws usage_error for what is no role.
void be_played(const std::string& role);

}  // namespace octavo::agent
