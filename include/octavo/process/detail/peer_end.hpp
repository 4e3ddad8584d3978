// SPDX-License-Identifier: Apache-2.0
// Whether a process has ended, as its connection shows it now: before this process has read of that, and before the agent tells of the death.
#pragma once

#include "octavo/machine/address.hpp"

namespace octavo::detail {

// False also where that cannot be seen: of one that this process has no connection with, or one on another machine. By a thread that calls.
bool is_seen_to_have_ended(const Address& who);

}  // namespace octavo::detail
