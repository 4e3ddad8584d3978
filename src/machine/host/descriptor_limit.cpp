// SPDX-License-Identifier: Apache-2.0
#include "machine/host/descriptor_limit.hpp"

#include <algorithm>

namespace octavo {

DescriptorLimit& DescriptorLimit::own() {
  static DescriptorLimit it;
  return it;
}

void DescriptorLimit::make_room(int descriptor) noexcept {
  constexpr rlim_t times = 4;
  std::lock_guard lock(mutex_);
  rlimit now{};
  if (::getrlimit(RLIMIT_NOFILE, &now) != 0 || now.rlim_cur == RLIM_INFINITY || now.rlim_cur == now.rlim_max) return;
  if (static_cast<rlim_t>(descriptor) < now.rlim_cur / 2) return;
  const rlimit more{std::min(now.rlim_cur * times, now.rlim_max), now.rlim_max};
  if (::setrlimit(RLIMIT_NOFILE, &more) != 0) return;
  if (now.rlim_cur != raised_) before_ = now.rlim_cur;
  raised_ = more.rlim_cur;
}

rlimit DescriptorLimit::of_children() const noexcept {
  std::lock_guard lock(mutex_);
  rlimit now{};
  ::getrlimit(RLIMIT_NOFILE, &now);
  if (raised_ != 0 && now.rlim_cur == raised_) now.rlim_cur = std::min(before_, now.rlim_max);
  return now;
}

void DescriptorLimit::give_back(pid_t child) const noexcept {
  const auto theirs = of_children();
  rlimit mine{};
  if (::getrlimit(RLIMIT_NOFILE, &mine) == 0 && mine.rlim_cur != theirs.rlim_cur) ::prlimit(child, RLIMIT_NOFILE, &theirs, nullptr);
}

}  // namespace octavo
