// SPDX-License-Identifier: Apache-2.0
// The road by itself: small frames to and fro between two processes, no call and no mailbox above.
#pragma once

namespace bench {

double road_half_trip();  // seconds

}  // namespace bench
