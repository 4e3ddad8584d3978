// SPDX-License-Identifier: Apache-2.0
// The road by itself: small frames to and fro between two processes, no call and no mailbox above; and what waiting for a line costs who writes it.
#pragma once

namespace bench {

double road_half_trip();  // seconds
// Of a bare line with some 30 nanoseconds of work before each hand-over: by a reader that polls all the time, and by one that polls at its own pace
// (road/pace.hpp).
double line_with_work_watched();
double line_with_work_paced();

}  // namespace bench
