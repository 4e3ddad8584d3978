// SPDX-License-Identifier: Apache-2.0
// C-7: what an object has started ends with it, and at the orderly end of the program its destructor is run. The program is a child of the test.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "kit/left_behind.hpp"
#include "kit/watchdog.hpp"
#include "octavo/process.hpp"

namespace object_ends {

class Starter {
 public:
  explicit Starter(std::string path) : log_(path), stdio_(std::fopen((path + ".stdio").c_str(), "w")) {}
  void write(std::string text) {
    log_ << text;
    std::fputs(text.c_str(), stdio_);
  }
  // Of a session of its own, whose parent has ended; it and its own child.
  int start() {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) return -1;
    const pid_t pid = ::fork();
    if (pid == 0) {
      ::setsid();
      if (::fork() != 0) ::_exit(0);
      const pid_t self = ::getpid();
      [[maybe_unused]] auto n = ::write(ends[1], &self, sizeof self);
      ::execl("/bin/sleep", "sleep", "1000", nullptr);
      ::_exit(1);
    }
    ::waitpid(pid, nullptr, 0);
    pid_t told = -1;
    [[maybe_unused]] auto n = ::read(ends[0], &told, sizeof told);
    ::close(ends[0]);
    ::close(ends[1]);
    return told;
  }
  // Whether a program that it starts ignores Ctrl-C.
  int interrupts_ignored() { return std::system("test $(( 0x$(grep SigIgn /proc/self/status | cut -f 2) & 2 )) = 0"); }

 private:
  std::ofstream log_;
  std::FILE* stdio_;
};
OCTAVO_REMOTE(Starter, write, start, interrupts_ignored)

namespace {

std::string content(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string temporary(const char* name) { return testing::TempDir() + name + std::to_string(::getpid()); }

TEST(ObjectEnds, C7_TheRuntimesEndRunsDestructors) {
  octavo::kit::Watchdog watchdog(60);
  const std::string path = temporary("octavo-object-ends-");
  {
    octavo::Runtime runtime;
    auto p = runtime.machine().make<Starter>(path);
    for (int i = 0; i < 3; ++i) p->write("line\n");
  }
  for (const auto& file : {path, path + ".stdio"}) {
    EXPECT_EQ(content(file), "line\nline\nline\n");
    std::filesystem::remove(file);
  }
}

enum class end : std::uint8_t { destroy, kill_object, runtime, kill_program };

class ObjectEndsBy : public testing::TestWithParam<end> {};

[[noreturn]] void run(int report, end how, const std::string& path) {
  {
    octavo::Runtime runtime;
    auto p = runtime.machine().make<Starter>(path);
    const int pid = p->start();
    [[maybe_unused]] auto n = ::write(report, &pid, sizeof pid);
    if (how == end::destroy) octavo::destroy(p);
    if (how == end::kill_object) runtime.kill(p.address(), SIGKILL);
    if (how != end::runtime)
      for (;;) ::pause();
  }
  for (;;) ::pause();
}

TEST_P(ObjectEndsBy, C7_WhatItHasStartedEnds) {
  octavo::kit::Watchdog watchdog(60);
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  const std::string path = temporary("octavo-object-ends-by-");
  const pid_t program = watchdog.fork();
  if (program == 0) run(pipe[1], GetParam(), path);
  int started = 0;
  ASSERT_EQ(::read(pipe[0], &started, sizeof started), static_cast<ssize_t>(sizeof started));
  ASSERT_GT(started, 0);
  if (GetParam() == end::kill_program) ::kill(program, SIGKILL);
  octavo::kit::await_end(started);
  ::kill(program, SIGKILL);
  ::waitpid(program, nullptr, 0);
  for (const auto& file : {path, path + ".stdio"}) std::filesystem::remove(file);
}
INSTANTIATE_TEST_SUITE_P(Ends, ObjectEndsBy, testing::Values(end::destroy, end::kill_object, end::runtime, end::kill_program));

TEST(ObjectEnds, C7_WhatItStartsIsLeftAloneIfAsked) {
  octavo::kit::Watchdog watchdog(60);
  const std::string path = temporary("octavo-object-keeps-");
  int started = 0;
  {
    octavo::Runtime runtime({.keep_children = true});
    started = runtime.machine().make<Starter>(path)->start();
  }
  EXPECT_TRUE(octavo::kit::alive(started));
  ::kill(started, SIGKILL);
  for (const auto& file : {path, path + ".stdio"}) std::filesystem::remove(file);
}

TEST(ObjectEnds, C7_WhatItStartsHeedsControlC) {
  octavo::kit::Watchdog watchdog(60);
  octavo::Runtime runtime;
  const std::string path = temporary("octavo-object-control-c-");
  EXPECT_EQ(runtime.machine().make<Starter>(path)->interrupts_ignored(), 0);
  for (const auto& file : {path, path + ".stdio"}) std::filesystem::remove(file);
}

}  // namespace
}  // namespace object_ends
