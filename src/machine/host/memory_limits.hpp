// SPDX-License-Identifier: Apache-2.0
// How much memory there is for a program: the least of what the machine has, and what the control groups that it is in (versions 1 and 2, each outwards to the
// outermost) and its own limits let it have.
//
//   MemoryFound here = memory_under("/");                  // another root: files that a test has written
//   std::int64_t pool = default_pool_bytes(here, process_limits());
//
// Threading: any. Failure: none but check_budget's; what the system does not say is no limit.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "octavo/machine/budget.hpp"

namespace octavo {

struct MemoryFound {
  std::int64_t bytes = 0, available = 0;  // available: without swapping
  std::string by = "this machine";        // what sets `bytes`: "the control group '/jobs/7'"
};

// Of the machine and the control groups, by /proc and /sys under `root`.
MemoryFound memory_under(const std::filesystem::path& root);

// A limit of this process, as `ulimit` sets it.
struct ProcessLimit {
  std::int64_t bytes = std::numeric_limits<std::int64_t>::max();
  std::string by;
};
// of_memory: RLIMIT_AS and RLIMIT_DATA; of_shared_memory: RLIMIT_AS and RLIMIT_FSIZE, as a pool is a file to the kernel.
struct ProcessLimits {
  std::vector<ProcessLimit> of_memory, of_shared_memory;
};
ProcessLimits process_limits();

// What a program may use in all, and of that as the pool.
MemoryFound memory_bound(MemoryFound found, const ProcessLimits& limits);
MemoryFound memory_bound();

// A pool of which nothing is said: a quarter of the least.
std::int64_t default_pool_bytes(const MemoryFound& found, const ProcessLimits& limits);

// Throws refused, if `bytes` for `what` ("a job") are more than there are, naming what sets the limit. check_pool() heeds the limit of shared memory, too.
void check_budget(std::int64_t bytes, const std::string& what, const MemoryFound& bound);
void check_pool(std::int64_t bytes);

}  // namespace octavo
