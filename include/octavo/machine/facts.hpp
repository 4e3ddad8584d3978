// SPDX-License-Identifier: Apache-2.0
// The state of the hardware: what a machine has, and how much of it is free now. What `octavo machines` shows.
//
//   octavo::MachineFacts here = octavo::machine_facts();
//   int workers = std::max(1, here.cores - static_cast<int>(here.load));
//   octavo::MachineFacts there = runtime.machine("box").facts();       // asks its agent
//
// Threading: any. Failure: none; what the system does not say is 0 or left out. Of another machine: gone_error, usage_error.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace octavo {

struct DiskFacts {
  std::string path;                        // where it is mounted
  std::int64_t bytes = 0, free_bytes = 0;  // free for this user
};

struct MachineFacts {
  std::string name;
  int cores = 0;                      // that this program may use
  std::int64_t memory_bytes = 0;      // of the machine, or what its control group may use
  std::int64_t memory_available = 0;  // without swapping
  double load = 0;                    // processes that ran or wanted to, on average over the last minute
  std::vector<DiskFacts> disks;       // the largest first
};

// Of the machine this program runs on, under its host name.
MachineFacts machine_facts();

}  // namespace octavo
