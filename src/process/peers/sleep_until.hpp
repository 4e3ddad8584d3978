// SPDX-License-Identifier: Apache-2.0
// How a thread that waits for what the agent says sleeps until `ready`, at most so long, where a test has threads sleep another way (tests/schedule). False: it
// did not, and sleeps as usual.
#pragma once

#include <functional>

#include "octavo/road/doorbell.hpp"

namespace octavo::detail {

using SleepUntil = std::function<bool(const std::function<bool()>& ready, road::Clock::duration longest)>;

}  // namespace octavo::detail
