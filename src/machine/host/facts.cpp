// SPDX-License-Identifier: Apache-2.0
#include "octavo/machine/facts.hpp"

#include <mntent.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <memory>
#include <set>

#include "machine/host/available_memory.hpp"
#include "machine/host/host_name.hpp"
#include "machine/host/memory_limits.hpp"

namespace octavo {

namespace {

constexpr std::size_t most_disks = 64, longest_path = 900;  // together they fit into a notice

int cores() {
  cpu_set_t mine;
  return ::sched_getaffinity(0, sizeof mine, &mine) == 0 ? CPU_COUNT(&mine) : static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
}

void add_memory(MachineFacts& facts) {
  const auto found = memory_under("/");
  if (found.bytes == std::numeric_limits<std::int64_t>::max()) return;  // nobody says
  facts.memory_bytes = found.bytes;
  facts.memory_available = found.available;
}

// What is mounted from a device, and the root; each file system once. Those of a network are not asked: one whose server is gone never answers.
std::vector<DiskFacts> disks() {
  std::vector<DiskFacts> found;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> mounts(::setmntent("/proc/self/mounts", "r"), ::endmntent);
  std::set<dev_t> known;
  mntent entry{};
  std::array<char, 4096> text{};
  while (mounts && found.size() < most_disks && ::getmntent_r(mounts.get(), &entry, text.data(), static_cast<int>(text.size())) != nullptr) {
    std::string from = entry.mnt_fsname, path = entry.mnt_dir;
    if (path.size() > longest_path) continue;
    bool is_disk = (from.starts_with("/dev/") && !from.starts_with("/dev/loop")) || path == "/";
    struct stat status {};
    struct statvfs room {};
    if (!is_disk || ::stat(path.c_str(), &status) != 0 || !S_ISDIR(status.st_mode) || !known.insert(status.st_dev).second) continue;
    if (::statvfs(path.c_str(), &room) != 0 || room.f_blocks == 0) continue;
    auto unit = static_cast<std::int64_t>(room.f_frsize);
    found.push_back({path, static_cast<std::int64_t>(room.f_blocks) * unit, static_cast<std::int64_t>(room.f_bavail) * unit});
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.bytes > b.bytes; });
  return found;
}

}  // namespace

std::int64_t available_memory() {
  MachineFacts facts;
  add_memory(facts);
  return facts.memory_available;
}

MachineFacts machine_facts() {
  MachineFacts facts;
  facts.name = host_name();
  facts.cores = cores();
  add_memory(facts);
  std::array<double, 1> load{};
  if (::getloadavg(load.data(), 1) == 1) facts.load = load[0];
  facts.disks = disks();
  return facts;
}

}  // namespace octavo
