// SPDX-License-Identifier: Apache-2.0
// What processes leave behind, by /proc: for tests that end some of them. Each await returns when it is so; a Watchdog bounds it.
#pragma once

#include <set>
#include <string>
#include <vector>

namespace octavo::kit {

bool alive(int pid);  // neither ended nor waiting to be reaped
void await_end(int pid);
void stop(int pid);  // returns when all its threads stand still
// Until it has at most so many connections with other processes mapped.
void await_rings(int pid, std::size_t at_most);

// Names in /dev/shm, without those of the tests that may run beside this one: of Open MPI, of Python's multiprocessing, of the disks' oracle.
std::set<std::string> shared_memory_files();
// What is in /dev/shm that was not before, once what comes and goes had 20 s to go.
std::set<std::string> shared_memory_since(const std::set<std::string>& before);
// Until no closed link of this process lingers (road/net/tls/stream/linger.hpp): each has a descriptor.
void await_lingering();
// What each of this process's descriptors is, without numbers that differ from one to the next; sorted.
std::vector<std::string> open_descriptors();
std::vector<int> children();
// Of a process, in KiB: its own memory now.
long resident_kibibytes(int pid);

}  // namespace octavo::kit
