// SPDX-License-Identifier: Apache-2.0
// Pointers a second from one thread to another.
#pragma once

namespace bench {

double many_to_one_per_second();  // here one to one: the price of being ready for many
double bare_ring_per_second();    // the limit: an array and two positions, published in batches; nothing of Octavo

}  // namespace bench
