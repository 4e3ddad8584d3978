// SPDX-License-Identifier: Apache-2.0
// Messages in files: ours, the paper's (004: a message, then a lock file, which the reader polls for), and what a file costs at best. In seconds, bytes a
// second, and system calls on files.
#pragma once

#include <cstddef>
#include <string>

namespace bench::files {

double half_trip(std::size_t bytes, int trips = 2000);
double bytes_per_second(std::size_t bytes);
double operations_a_message();         // both sides, from agent to agent and back
double operations_a_waiting_second();  // of one side that waits, where inotify works
double operations_a_second_by_looking();

// protocol="lock": each message two files, whose reader looks for the second again and again.
namespace lock {
double half_trip(std::size_t bytes, int trips = 500);
double bytes_per_second(std::size_t bytes);
double operations_a_message();
double operations_a_waiting_second();
}  // namespace lock

// To make a file, rename, read and remove it, in one thread.
double a_file(std::size_t bytes);

}  // namespace bench::files
