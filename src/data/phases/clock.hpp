// SPDX-License-Identifier: Apache-2.0
// The clock of timelines, here and on other machines.
#pragma once

#include "octavo/data/phases.hpp"
#include "octavo/machine/address.hpp"

namespace octavo {

// Nanoseconds of steady_clock.
std::int64_t clock_now();
// What `who` told, which was asked for at `asked` and has just come. The clock of another machine was read somewhere between; so it is taken to have been
// in the middle.
Timeline by_our_clock(Timeline told, const Address& who, std::int64_t asked);

}  // namespace octavo
