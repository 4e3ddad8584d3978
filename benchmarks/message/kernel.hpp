// SPDX-License-Identifier: Apache-2.0
// What the system offers for the same, without any library. Seconds.
#pragma once

namespace bench {

double socket_half_trip();  // 8 bytes over a Unix socket between two processes, both spinning
double socket_asleep();     // there and back, both having gone to sleep
double pipe_asleep();       // the same over two pipes
double mutex_half_trip();   // between two threads: a queue, a mutex and a condition variable

}  // namespace bench
