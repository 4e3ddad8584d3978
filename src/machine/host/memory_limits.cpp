// SPDX-License-Identifier: Apache-2.0
#include "machine/host/memory_limits.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"

namespace octavo {

namespace {

namespace fs = std::filesystem;

// What a version calls the files of a group, and how its mount is known.
struct Version {
  const char *file_system, *most, *used, *cached;
};
constexpr Version version_1{"cgroup", "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"};
constexpr Version version_2{"cgroup2", "memory.max", "memory.current", "inactive_file"};

// Where a hierarchy is mounted, and which group of it lies there: not the outermost within a container.
struct Mount {
  fs::path at;
  std::string root;
};

// "MemAvailable:  12345 kB" of /proc/meminfo.
std::int64_t meminfo(const fs::path& root, const std::string& wanted) {
  std::ifstream file(root / "proc/meminfo");
  std::string name, rest;
  for (std::int64_t kibibytes = 0; file >> name >> kibibytes && std::getline(file, rest);)
    if (name == wanted) return kibibytes * 1024;
  return 0;
}

std::optional<std::int64_t> number_in(const fs::path& path) {
  std::ifstream file(path);
  std::int64_t number = -1;
  if (file >> number && number >= 0) return number;  // "max" is none
  return std::nullopt;
}

std::int64_t in_stat(const fs::path& group, const std::string& wanted) {
  std::ifstream file(group / "memory.stat");
  std::string name;
  for (std::int64_t bytes = 0; file >> name >> bytes;)
    if (name == wanted) return bytes;
  return 0;
}

bool lists(const std::string& words, const std::string& wanted) {
  std::istringstream each(words);
  for (std::string word; std::getline(each, word, ',');)
    if (word == wanted) return true;
  return false;
}

// A line of mountinfo: "36 35 0:31 /docker/7 /sys/fs/cgroup/memory rw,nosuid shared:1 - cgroup cgroup rw,memory".
std::vector<Mount> mounts_of(const fs::path& root, const Version& version) {
  std::vector<Mount> found;
  std::ifstream file(root / "proc/self/mountinfo");
  for (std::string line; std::getline(file, line);) {
    const auto separator = line.find(" - ");
    if (separator == std::string::npos) continue;
    std::istringstream first(line), second(line.substr(separator + 3));
    std::string word, group, at, file_system, from, options;
    first >> word >> word >> word >> group >> at;
    second >> file_system >> from >> options;
    if (file_system == version.file_system && (file_system == version_2.file_system || lists(options, "memory")))
      found.push_back({root / fs::path(at).relative_path(), group});
  }
  return found;
}

// This process's group in the hierarchy of that version: "0::/jobs/7", or "5:cpu,memory:/jobs/7".
std::optional<std::string> own_group(const fs::path& root, const Version& version) {
  std::ifstream file(root / "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {
    const auto first = line.find(':'), second = line.find(':', first == std::string::npos ? first : first + 1);
    if (second == std::string::npos) continue;
    const auto controllers = line.substr(first + 1, second - first - 1);
    if (version.file_system == version_2.file_system ? controllers.empty() && line.starts_with("0:") : lists(controllers, "memory"))
      return line.substr(second + 1);
  }
  return std::nullopt;
}

// From its own group outwards to the one that is mounted: each may hold it to less.
void hold_to_groups(const fs::path& root, const Version& version, MemoryFound& found) {
  const auto own = own_group(root, version);
  if (!own) return;
  for (const auto& mount : mounts_of(root, version)) {
    std::string within = own->starts_with(mount.root) ? own->substr(mount.root == "/" ? 0 : mount.root.size()) : "";
    if (!fs::is_directory(mount.at / fs::path(within).relative_path())) within.clear();  // as seen from outside of a container
    for (;; within.resize(within.rfind('/'))) {
      const fs::path group = mount.at / fs::path(within).relative_path();
      if (const auto most = number_in(group / version.most)) {
        const auto used = std::max<std::int64_t>(number_in(group / version.used).value_or(0) - in_stat(group, version.cached), 0);
        if (*most < found.bytes) found.bytes = *most, found.by = "the control group '" + (within.empty() ? mount.root : within) + "' of this process";
        found.available = std::min(found.available, std::max<std::int64_t>(*most - used, 0));
      }
      if (within.empty() || within.rfind('/') == std::string::npos) break;
    }
  }
}

ProcessLimit limit_of(int resource, const char* by) {
  rlimit limit{};
  if (::getrlimit(static_cast<__rlimit_resource_t>(resource), &limit) != 0 || limit.rlim_cur == RLIM_INFINITY ||
      limit.rlim_cur > static_cast<rlim_t>(std::numeric_limits<std::int64_t>::max()))
    return {.by = by};
  return {static_cast<std::int64_t>(limit.rlim_cur), by};
}

MemoryFound least(MemoryFound found, const std::vector<ProcessLimit>& limits) {
  for (const auto& each : limits)
    if (each.bytes < found.bytes) found.bytes = each.bytes, found.by = each.by;
  found.available = std::min(found.available, found.bytes);
  return found;
}

}  // namespace

MemoryFound memory_under(const fs::path& root) {
  MemoryFound found{.bytes = meminfo(root, "MemTotal:"), .available = meminfo(root, "MemAvailable:")};
  if (found.bytes == 0) found.bytes = found.available = std::numeric_limits<std::int64_t>::max();
  hold_to_groups(root, version_2, found);
  hold_to_groups(root, version_1, found);
  return found;
}

ProcessLimits process_limits() {
  return {.of_memory = {limit_of(RLIMIT_AS, "this process's limit of address space (ulimit -v)"),
                        limit_of(RLIMIT_DATA, "this process's limit of data (ulimit -d)")},
          .of_shared_memory = {limit_of(RLIMIT_AS, "this process's limit of address space (ulimit -v)"),
                               limit_of(RLIMIT_FSIZE, "this process's limit of file sizes (ulimit -f)")}};
}

MemoryFound memory_bound(MemoryFound found, const ProcessLimits& limits) { return least(std::move(found), limits.of_memory); }
MemoryFound memory_bound() { return memory_bound(memory_under("/"), process_limits()); }

std::int64_t default_pool_bytes(const MemoryFound& found, const ProcessLimits& limits) {
  const auto quarter = least(least(found, limits.of_memory), limits.of_shared_memory).bytes / 4;
  return quarter >= MiB ? round_down(quarter, MiB) : std::max<std::int64_t>(round_down(quarter, 4096), 4096);
}

void check_budget(std::int64_t bytes, const std::string& what, const MemoryFound& bound) {
  if (bytes <= bound.bytes) return;
  throw refused(what + " of " + format_bytes(bytes) + " is more than there is: " + bound.by + " has " + format_bytes(bound.bytes),
                "Give `memory` below that (" + std::to_string(bound.bytes / 2) + " bytes are half of it), or raise the limit");
}
void check_budget(std::int64_t bytes, const std::string& what) { check_budget(bytes, what, memory_bound()); }
std::int64_t default_budget() { return std::min(GiB, memory_bound().bytes / 2); }
void check_pool(std::int64_t bytes) {
  check_budget(bytes, "a page pool (octavo::RuntimeOptions::memory; in Python Runtime(memory=...))",
               least(memory_under("/"), process_limits().of_shared_memory));
}

}  // namespace octavo
