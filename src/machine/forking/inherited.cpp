// SPDX-License-Identifier: Apache-2.0
#include "machine/forking/inherited.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>

namespace octavo::forking {

namespace {

// umask() can only be read by changing it, which another thread would see.
mode_t mask_now() {
  std::ifstream status("/proc/self/status");
  const std::string wanted = "Umask:";
  for (std::string line; std::getline(status, line);)
    if (line.starts_with(wanted)) return static_cast<mode_t>(std::stoul(line.substr(wanted.size()), nullptr, 8));
  return 0;
}

}  // namespace

Inherited inherited_now() {
  Inherited now;
  for (char** entry = environ; *entry != nullptr; ++entry) now.environment.emplace_back(*entry);
  for (int each = 0; each < static_cast<int>(RLIM_NLIMITS); ++each) {
    rlimit limit{};
    ::getrlimit(static_cast<__rlimit_resource_t>(each), &limit);
    now.limits.insert(now.limits.end(), {limit.rlim_cur, limit.rlim_max});
  }
  now.mask = mask_now();
  return now;
}

}  // namespace octavo::forking
