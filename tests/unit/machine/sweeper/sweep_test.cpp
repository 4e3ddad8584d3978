// SPDX-License-Identifier: Apache-2.0
// Processes with marks: which of them a sweep ends.
#include "machine/sweeper/sweep.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "kit/left_behind.hpp"
#include "kit/watchdog.hpp"
#include "octavo/base/fd.hpp"
#include "unit/machine/registry/folder.hpp"

namespace octavo::sweeper {
namespace {

const Mark one = random_agent() | 1, two = (one & of_agent) | 2, other = random_agent() | 1;

// Forked, marked, and with whatever it starts: `begin` tells pids by the pipe.
class Marked {
 public:
  Marked(kit::Watchdog& watchdog, Mark mark, const std::function<void(int tell)>& begin) {
    std::array<int, 2> ends{};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    pid_ = watchdog.fork();
    if (pid_ == 0) {
      if (mark != none) put_on(mark);
      begin(ends[1]);
      for (;;) ::pause();
    }
    ::close(ends[1]);
    EXPECT_EQ(::read(ends[0], &told_, sizeof told_), static_cast<ssize_t>(sizeof told_));
    ::close(ends[0]);
  }
  ~Marked() {
    for (const pid_t each : {pid_, told_}) ::kill(each, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  Marked(const Marked&) = delete;
  Marked& operator=(const Marked&) = delete;
  [[nodiscard]] bool lives() const { return kit::alive(pid_) && kit::alive(told_); }
  [[nodiscard]] bool is_gone() const { return !kit::alive(pid_) && !kit::alive(told_); }

 private:
  pid_t pid_ = -1, told_ = -1;
};

void tell(int to, pid_t pid) { [[maybe_unused]] auto n = ::write(to, &pid, sizeof pid); }

// A process of a session of its own, whose parent has ended, with nothing in its environment.
void start_session(int to) {
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::setsid();
    if (::fork() != 0) ::_exit(0);
    ::clearenv();
    tell(to, ::getpid());
    for (;;) ::pause();
  }
  ::waitpid(pid, nullptr, 0);
}

TEST(Sweep, EndsWhatHasTheMarkWhereverItHasGone) {
  kit::Watchdog watchdog;
  const Marked first(watchdog, one, start_session), second(watchdog, two, start_session), third(watchdog, other, start_session);
  const Marked unmarked(watchdog, none, start_session);
  const std::array marks{one};
  EXPECT_TRUE(sweep(marks, whole));
  EXPECT_TRUE(first.is_gone());
  EXPECT_TRUE(second.lives() && third.lives() && unmarked.lives());
  EXPECT_TRUE(sweep(marks, of_agent));
  EXPECT_TRUE(second.is_gone());
  EXPECT_TRUE(third.lives() && unmarked.lives());
}

// If it should fail, what forks must not outlive the test: it ends by itself after a while.
TEST(Sweep, EndsWhatForksAllTheTime) {
  kit::Watchdog watchdog;
  const Marked forks(watchdog, one, [](int to) {
    tell(to, ::getpid());
    for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(15); std::chrono::steady_clock::now() < end;) {
      if (::fork() == 0) continue;
      ::usleep(1000);
      ::_exit(0);
    }
    ::_exit(0);
  });
  const std::array marks{one};
  EXPECT_TRUE(sweep(marks, whole));
  EXPECT_TRUE(sweep(marks, whole));
}

// Started by a process that has the other end of the pipe which is its standard input.
void start_tracker(int to, const char* does) {
  std::array<int, 2> input{}, said{};
  if (::pipe2(input.data(), O_CLOEXEC) != 0 || ::pipe2(said.data(), O_CLOEXEC) != 0) ::_exit(1);
  const pid_t pid = ::fork();
  if (pid == 0) {
    ::dup2(input[0], STDIN_FILENO);
    ::dup2(said[1], STDOUT_FILENO);
    ::execl("/bin/sh", "sh", "-c", does, "from multiprocessing.resource_tracker import main;main(0)", nullptr);
    ::_exit(1);
  }
  ::close(input[0]);
  char runs = 0;
  if (::read(said[0], &runs, 1) != 1) ::_exit(1);
  tell(to, pid);
}

TEST(Sweep, AResourceTrackerCleansUpFirst) {
  kit::Watchdog watchdog;
  registry_test::Folder folder;
  const std::string left = folder / "left";
  const std::string does = "echo; while read line; do :; done; : >'" + left + "'";  // no process of its own: that would be killed at once
  const std::array marks{one};
  for (bool cleaned = false; !cleaned;) {  // a machine that is too busy may not let it run within its second
    std::ofstream(left).put('1');
    const Marked uses(watchdog, one, [&](int to) { start_tracker(to, does.c_str()); });
    const auto begun = std::chrono::steady_clock::now();
    EXPECT_TRUE(sweep(marks, whole));
    EXPECT_TRUE(uses.is_gone());
    cleaned = std::filesystem::file_size(left) == 0;
    ASSERT_TRUE(cleaned || std::chrono::steady_clock::now() - begun >= std::chrono::seconds(1));
  }
}

TEST(Sweep, OneThatDoesNotEndIsEnded) {
  kit::Watchdog watchdog;
  const Marked uses(watchdog, one, [](int to) { start_tracker(to, "trap '' TERM; echo; while :; do sleep 1000; done"); });
  const std::array marks{one};
  const auto begun = std::chrono::steady_clock::now();
  EXPECT_TRUE(sweep(marks, whole));
  EXPECT_GE(std::chrono::steady_clock::now() - begun, std::chrono::seconds(1));
  EXPECT_TRUE(uses.is_gone());
}

TEST(Sweep, AMarkIsTakenOff) {
  kit::Watchdog watchdog;
  const Marked was(watchdog, one, [](int to) {
    put_on(none);
    tell(to, ::getpid());
  });
  const std::array marks{one};
  EXPECT_TRUE(sweep(marks, of_agent));
  EXPECT_TRUE(was.lives());
}

TEST(Sweep, NobodyHasTheMark) {
  const std::array marks{other};
  EXPECT_TRUE(sweep(marks, whole));
  EXPECT_TRUE(sweep({}, whole));
}

}  // namespace
}  // namespace octavo::sweeper
