// SPDX-License-Identifier: Apache-2.0
// C-7: kill -9 of the program leaves no process, nothing in /dev/shm. The program is a child of the test that makes processes of
// its own and is killed while they work.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <set>
#include <thread>

#include "kit/left_behind.hpp"
#include "kit/watchdog.hpp"
#include "octavo/process.hpp"

namespace program_killed {

class Worker {
 public:
  int pid() { return ::getpid(); }
  void work_for_ever() {
    for (std::atomic<std::uint64_t> i = 0;;) ++i;
  }
};
OCTAVO_REMOTE(Worker, pid, work_for_ever)

namespace {

// Makes four processes, sets two of them to work, tells their pids, and waits to be killed.
[[noreturn]] void program(int report) {
  octavo::Runtime runtime;
  std::vector<octavo::remote_ptr<Worker>> workers;
  for (int i = 0; i < 4; ++i) workers.push_back(runtime.machine().make<Worker>());
  auto one = octavo::start(workers[0])->work_for_ever(), two = octavo::start(workers[1])->work_for_ever();
  for (const auto& facts : runtime.processes()) {
    int pid = static_cast<int>(facts.pid);
    [[maybe_unused]] auto n = ::write(report, &pid, sizeof pid);
  }
  for (;;) ::pause();
}

// the program is killed, and its agent with it; the processes end by the parent-death signal and their sockets.
TEST(ProgramKilled, C7_NoProcessAndNoSharedMemoryIsLeft) {
  octavo::kit::Watchdog watchdog(60);
  auto before = octavo::kit::shared_memory_files();
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  pid_t child = watchdog.fork();
  if (child == 0) program(pipe[1]);
  std::vector<int> pids;
  while (pids.size() < 5) {
    int pid = 0;
    ASSERT_EQ(::read(pipe[0], &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
    pids.push_back(pid);
  }
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  for (int pid : pids)
    while (octavo::kit::alive(pid)) std::this_thread::yield();  // the watchdog bounds it
  EXPECT_EQ(octavo::kit::shared_memory_since(before), std::set<std::string>());
}

}  // namespace
}  // namespace program_killed
