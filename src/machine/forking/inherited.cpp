// SPDX-License-Identifier: Apache-2.0
#include "machine/forking/inherited.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <utility>

#include "machine/host/descriptor_limit.hpp"
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

// What is read once, when a program or a library that fork servers load starts.
bool is_read_at_start(std::string_view variable) {
  static constexpr std::array beginnings{"LD_",  "PYTHON", "OCTAVO_",   "MALLOC_", "GLIBC_", "LC_",   "OMP_",    "GOMP_", "KMP_",
                                         "MKL_", "BLIS_",  "OPENBLAS_", "GOTO_",   "NPY_",   "NUMPY", "NUMEXPR", "UBSAN", "ASAN_"};
  static constexpr std::array whole{"LANG", "LANGUAGE", "TZ", "TSAN_OPTIONS", "LSAN_OPTIONS"};
  return std::any_of(beginnings.begin(), beginnings.end(), [&](std::string_view each) { return variable.starts_with(each); }) ||
         std::find(whole.begin(), whole.end(), variable) != whole.end();
}

std::string_view name_in(std::string_view variable) { return variable.substr(0, variable.find('=')); }

}  // namespace

std::optional<Changes> changes_for_a_fork(const Inherited& of_server, const Inherited& now) {
  constexpr std::size_t most_bytes = 32 << 10;  // a datagram takes more
  if (of_server.limits != now.limits || of_server.mask != now.mask) return std::nullopt;
  if (of_server.environment == now.environment) return Changes{};
  auto before = of_server.environment, after = now.environment;
  std::sort(before.begin(), before.end());
  std::sort(after.begin(), after.end());
  Changes gone, changes;
  std::set_difference(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(gone));
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(changes));
  const auto fresh = changes.size();
  for (const auto& each : gone) {
    const auto is_set_again = [&](const std::string& other) { return name_in(other) == name_in(each); };
    if (std::none_of(changes.begin(), changes.begin() + static_cast<std::ptrdiff_t>(fresh), is_set_again)) changes.emplace_back(name_in(each));
  }
  std::size_t bytes = 0;
  for (const auto& each : changes) {
    bytes += each.size() + 1;
    if (name_in(each).empty() || is_read_at_start(name_in(each))) return std::nullopt;
  }
  return bytes <= most_bytes ? std::optional(std::move(changes)) : std::nullopt;
}

void apply(const Changes& changes) {
  for (const auto& each : changes) {
    const std::string name(name_in(each));
    if (name.size() == each.size()) ::unsetenv(name.c_str());
    else ::setenv(name.c_str(), each.c_str() + name.size() + 1, 1);
  }
}

Inherited inherited_now(std::vector<std::string> environment) {
  Inherited now{.environment = std::move(environment), .limits = {}};
  for (int each = 0; each < static_cast<int>(RLIM_NLIMITS); ++each) {
    rlimit limit{};
    ::getrlimit(static_cast<__rlimit_resource_t>(each), &limit);
    if (each == RLIMIT_NOFILE) limit = DescriptorLimit::own().of_children();
    now.limits.insert(now.limits.end(), {limit.rlim_cur, limit.rlim_max});
  }
  now.mask = mask_now();
  return now;
}

}  // namespace octavo::forking
