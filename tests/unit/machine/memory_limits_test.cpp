// SPDX-License-Identifier: Apache-2.0
// How much memory there is, by /proc and /sys as systems of many kinds have them: made-up files under a directory of the test's.
#include "machine/host/memory_limits.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "octavo/base/bytes.hpp"
#include "octavo/base/error.hpp"
#include "unit/machine/registry/folder.hpp"

namespace octavo {
namespace {

using testing::HasSubstr;

constexpr const char* of_version_2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr const char* of_version_1 =
    "31 23 0:27 / /sys/fs/cgroup/cpu,cpuacct rw shared:5 - cgroup cgroup rw,cpu,cpuacct\n"
    "33 23 0:29 / /sys/fs/cgroup/memory rw,nosuid shared:7 - cgroup cgroup rw,memory\n";
constexpr const char* unified = "34 23 0:30 / /sys/fs/cgroup/unified rw shared:8 - cgroup2 cgroup2 rw\n";
constexpr std::int64_t none_of_version_1 = 9223372036854771712;

// A machine of 16 GiB, of which 12 are available.
class System {
 public:
  System(const std::string& mounts, const std::string& groups) {
    write("proc/meminfo", "MemTotal:       16777216 kB\nMemFree:  1 kB\nMemAvailable:   12582912 kB\n");
    write("proc/self/mountinfo", "23 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw\n" + mounts);
    write("proc/self/cgroup", groups);
  }
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = folder_ / path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  void group_of_version_2(const std::string& path, const std::string& most, std::int64_t used = 0, std::int64_t cached = 0) {
    write("sys/fs/cgroup" + path + "/memory.max", most + "\n");
    write("sys/fs/cgroup" + path + "/memory.current", std::to_string(used) + "\n");
    write("sys/fs/cgroup" + path + "/memory.stat", "anon 5\ninactive_file " + std::to_string(cached) + "\n");
  }
  void group_of_version_1(const std::string& path, std::int64_t most, std::int64_t used = 0, std::int64_t cached = 0) {
    write("sys/fs/cgroup/memory" + path + "/memory.limit_in_bytes", std::to_string(most) + "\n");
    write("sys/fs/cgroup/memory" + path + "/memory.usage_in_bytes", std::to_string(used) + "\n");
    write("sys/fs/cgroup/memory" + path + "/memory.stat", "cache 5\ntotal_inactive_file " + std::to_string(cached) + "\n");
  }
  [[nodiscard]] MemoryFound found() const { return memory_under(folder_.path()); }

 private:
  registry_test::Folder folder_;
};

TEST(MemoryLimits, WithoutGroupsTheMachineHasAll) {
  for (const char* groups : {"", "0::/\n", "0::/user.slice/session-1.scope\n", "nonsense\n5:\n"}) {
    const auto found = System(of_version_2, groups).found();
    EXPECT_EQ(found.bytes, 16 * GiB) << groups;
    EXPECT_EQ(found.available, 12 * GiB);
    EXPECT_EQ(found.by, "this machine");
  }
  registry_test::Folder empty;
  EXPECT_GT(memory_under(empty.path()).bytes, std::int64_t{1} << 60) << "what nobody says is no limit";
}

TEST(MemoryLimits, OfNestedGroupsOfVersion2TheLeastCounts) {
  System system(of_version_2, "0::/jobs/7/step\n");
  system.group_of_version_2("/jobs", "max", 9 * GiB);
  system.group_of_version_2("/jobs/7", std::to_string(2 * GiB), GiB, GiB / 2);
  system.group_of_version_2("/jobs/7/step", "max", GiB);
  EXPECT_EQ(system.found().bytes, 2 * GiB);
  EXPECT_EQ(system.found().available, 3 * GiB / 2) << "what the group has as page cache is to be had";
  EXPECT_EQ(system.found().by, "the control group '/jobs/7' of this process");
  system.group_of_version_2("/jobs/7/step", std::to_string(600 * MiB), 500 * MiB);
  EXPECT_EQ(system.found().bytes, 600 * MiB);
  EXPECT_EQ(system.found().available, 100 * MiB);
  system.group_of_version_2("/jobs/7/step", std::to_string(20 * GiB));
  system.group_of_version_2("/jobs", std::to_string(GiB), 2 * GiB);
  EXPECT_EQ(system.found().bytes, GiB) << "of the outermost";
  EXPECT_EQ(system.found().available, 0);
}

TEST(MemoryLimits, Version1IsHeeded) {
  System system(of_version_1, "12:cpu,cpuacct:/elsewhere\n5:memory:/slurm/job_9\n1:name=systemd:/user\n");
  system.group_of_version_1("", none_of_version_1);
  system.group_of_version_1("/slurm", none_of_version_1);
  system.group_of_version_1("/slurm/job_9", 400 * MiB, 350 * MiB, 100 * MiB);
  system.group_of_version_1("/elsewhere", MiB);
  EXPECT_EQ(system.found().bytes, 400 * MiB);
  EXPECT_EQ(system.found().available, 150 * MiB);
  system.group_of_version_1("/slurm", 300 * MiB);
  EXPECT_EQ(system.found().bytes, 300 * MiB);
}

TEST(MemoryLimits, AHybridSystemHasItsMemoryInVersion1) {
  System system(std::string(of_version_1) + unified, "5:memory:/a\n0::/b\n");
  system.group_of_version_1("/a", 3 * GiB);
  system.write("sys/fs/cgroup/unified/b/cgroup.procs", "");
  EXPECT_EQ(system.found().bytes, 3 * GiB);
}

// A container sees its own group where the hierarchy begins, whatever its name outside.
TEST(MemoryLimits, WithinAContainerTheMountedGroupCounts) {
  System old("33 23 0:29 /docker/7 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n", "5:memory:/docker/7\n");
  old.group_of_version_1("", 512 * MiB);
  EXPECT_EQ(old.found().bytes, 512 * MiB);
  System inner("33 23 0:29 /docker/7 /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n", "5:memory:/docker/7/mine\n");
  inner.group_of_version_1("", 512 * MiB);
  inner.group_of_version_1("/mine", 256 * MiB);
  EXPECT_EQ(inner.found().bytes, 256 * MiB);
  for (const char* own : {"0::/\n", "0::/../other\n", "0::/system.slice/docker-7.scope\n"}) {
    System unseen(of_version_2, own);
    unseen.group_of_version_2("", std::to_string(512 * MiB));
    EXPECT_EQ(unseen.found().bytes, 512 * MiB) << own;
  }
}

TEST(MemoryLimits, TheProcesssOwnLimitsCount) {
  const MemoryFound found{.bytes = 16 * GiB, .available = 12 * GiB};
  const ProcessLimits none, held{.of_memory = {{8 * GiB, "ulimit -v"}, {}}, .of_shared_memory = {{8 * GiB, "ulimit -v"}, {GiB, "ulimit -f"}}};
  EXPECT_EQ(memory_bound(found, none).bytes, 16 * GiB);
  EXPECT_EQ(memory_bound(found, held).bytes, 8 * GiB);
  EXPECT_EQ(memory_bound(found, held).available, 8 * GiB);
  EXPECT_EQ(memory_bound(found, held).by, "ulimit -v");
  EXPECT_EQ(default_pool_bytes(found, none), 4 * GiB);
  EXPECT_EQ(default_pool_bytes(found, held), GiB / 4) << "the pool is a file to the kernel";
  for (std::int64_t few : {std::int64_t{1}, 10 * KiB, 3 * MiB}) {
    const auto least = default_pool_bytes({.bytes = few, .available = few}, none);
    EXPECT_GE(least, 4096);
    EXPECT_EQ(least % 4096, 0);
  }
}

TEST(MemoryLimits, ABudgetAboveThemIsRefusedWithWhoSetsThem) {
  const MemoryFound bound{.bytes = 600 * MiB, .available = 0, .by = "the control group '/jobs/7' of this process"};
  EXPECT_NO_THROW(check_budget(600 * MiB, "a job", bound)) << "what is available changes by the minute, and decides nothing";
  try {
    check_budget(2 * GiB, "a job", bound);
    FAIL();
  } catch (const refused& e) {
    EXPECT_THAT(e.what(), HasSubstr("a job of 2 GiB is more than there is: the control group '/jobs/7' of this process has 600 MiB"));
    EXPECT_THAT(e.cure(), HasSubstr("`memory` below that"));
  }
}

}  // namespace
}  // namespace octavo
