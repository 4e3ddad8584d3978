// SPDX-License-Identifier: Apache-2.0
#include "machine/sweeper/sweep.hpp"

#include <dirent.h>
#include <poll.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "machine/host/process_stat.hpp"
#include "octavo/base/fd.hpp"

namespace octavo::sweeper {

namespace {

struct CloseDirectory {
  void operator()(DIR* directory) const noexcept { ::closedir(directory); }
};

struct Found {
  Fd process;
  bool cleans_up;
};

// Of Python's multiprocessing: it removes what the others have left in /dev/shm, when all of them have closed their ends of its pipe.
bool is_resource_tracker(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/cmdline");
  for (std::string word; std::getline(file, word, '\0');)
    if (word.starts_with("from multiprocessing.resource_tracker import main")) return true;
  return false;
}

// Those that live. The pidfd comes before the look: a process with this number that is told by it is the one that was looked at.
std::vector<Found> marked(std::span<const Mark> marks, Mark compared) {
  const auto has_mark = [&](pid_t pid) {
    const Mark has = mark_on(pid) & compared;
    return has != none && std::any_of(marks.begin(), marks.end(), [&](Mark each) { return has == (each & compared); });
  };
  std::vector<Found> found;
  const std::unique_ptr<DIR, CloseDirectory> all(::opendir("/proc"));
  if (!all) return found;
  while (const dirent* entry = ::readdir(all.get())) {
    const auto pid = static_cast<pid_t>(std::atoi(entry->d_name));
    if (pid <= 0 || pid == ::getpid() || !has_mark(pid)) continue;
    Fd pidfd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
    const auto stat = stat_of(pid);
    if (pidfd && stat && !stat->ended() && has_mark(pid)) found.push_back({std::move(pidfd), is_resource_tracker(pid)});
  }
  return found;
}

}  // namespace

bool sweep(std::span<const Mark> marks, Mark compared) {
  using Clock = std::chrono::steady_clock;
  constexpr auto patience = std::chrono::seconds(5), to_clean_up = std::chrono::seconds(1);
  constexpr int round_ms = 20;  // until one that was killed has ended, its parent may have started more
  const auto begun = Clock::now();
  for (auto found = marked(marks, compared); !found.empty(); found = marked(marks, compared)) {
    const auto passed = Clock::now() - begun;
    if (passed >= patience) return false;
    for (const auto& each : found)
      if (!each.cleans_up || passed >= to_clean_up) ::syscall(SYS_pidfd_send_signal, each.process.get(), SIGKILL, nullptr, 0);
    pollfd first{found.front().process.get(), POLLIN, 0};
    ::poll(&first, 1, round_ms);
  }
  return true;
}

}  // namespace octavo::sweeper
