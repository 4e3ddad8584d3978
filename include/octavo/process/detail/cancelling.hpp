// SPDX-License-Identifier: Apache-2.0
// cancel() that does not wait for long: what other languages' futures are made of.
#pragma once

#include "octavo/process/detail/state.hpp"

namespace octavo::detail {

// As cancel(state), which waits until the object looks, but until the deadline at most. False also where the object has not looked by then: the request
// stays, and the state is ready with `cancelled` later if the call has not begun when it looks.
bool cancel_until(StateBase& state, std::chrono::steady_clock::time_point deadline);

}  // namespace octavo::detail
