// SPDX-License-Identifier: Apache-2.0
#include "machine/forking/inherited.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "octavo/base/fd.hpp"

namespace octavo::forking {

namespace {

// umask() can only be read by changing it, which another thread would see.
mode_t mask_now() {
  constexpr std::string_view wanted = "\nUmask:";
  std::array<char, 256> head{};  // the second line
  const Fd status(::open("/proc/self/status", O_RDONLY | O_CLOEXEC));
  const auto n = status ? ::read(status.get(), head.data(), head.size() - 1) : 0;
  const std::string_view text(head.data(), n > 0 ? static_cast<std::size_t>(n) : 0);
  const auto at = text.find(wanted);
  return at == text.npos ? 0 : static_cast<mode_t>(std::strtoul(text.data() + at + wanted.size(), nullptr, 8));
}

}  // namespace

Inherited inherited_now(std::vector<std::string> environment) {
  Inherited now{.environment = std::move(environment), .limits = {}};
  for (int each = 0; each < static_cast<int>(RLIM_NLIMITS); ++each) {
    rlimit limit{};
    ::getrlimit(static_cast<__rlimit_resource_t>(each), &limit);
    now.limits.insert(now.limits.end(), {limit.rlim_cur, limit.rlim_max});
  }
  now.mask = mask_now();
  return now;
}

}  // namespace octavo::forking
