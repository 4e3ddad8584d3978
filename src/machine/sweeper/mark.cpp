// SPDX-License-Identifier: Apache-2.0
#include "machine/sweeper/mark.hpp"

#include <sys/resource.h>

#include <random>

namespace octavo::sweeper {

Mark random_agent() {
  constexpr Mark highest = Mark{1} << 62;  // a limit that somebody has set is not so high
  std::random_device random;
  return highest | static_cast<Mark>(random() >> 2) << 32;
}

bool put_on(Mark mark) noexcept {
  rlimit limit{};
  if (::getrlimit(RLIMIT_LOCKS, &limit) != 0) return false;
  limit.rlim_cur = mark == none ? limit.rlim_max : mark;
  return ::setrlimit(RLIMIT_LOCKS, &limit) == 0;
}

Mark mark_on(pid_t process) noexcept {
  rlimit limit{};
  if (::prlimit(process, RLIMIT_LOCKS, nullptr, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return none;
  return limit.rlim_cur;
}

}  // namespace octavo::sweeper
