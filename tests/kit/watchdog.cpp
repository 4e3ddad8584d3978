// SPDX-License-Identifier: Apache-2.0
#include "kit/watchdog.hpp"

#include <execinfo.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "kit/sanitized.hpp"
#include "octavo/process/runtime.hpp"

namespace octavo::kit {

void before_tests(int, char**) { serve_if_asked(); }

namespace {

void print_stack(int) {
  std::array<void*, 64> frames{};
  int depth = backtrace(frames.data(), static_cast<int>(frames.size()));
  std::string head = "--- thread " + std::to_string(::syscall(SYS_gettid)) + "\n";
  [[maybe_unused]] auto n = ::write(STDERR_FILENO, head.data(), head.size());
  backtrace_symbols_fd(frames.data(), depth, STDERR_FILENO);
}

void print_all_stacks() {
  std::signal(SIGUSR2, print_stack);
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) {
    int thread = std::stoi(entry.path().filename().string());
    ::syscall(SYS_tgkill, ::getpid(), thread, SIGUSR2);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));  // so that two stacks are not mixed
  }
}

}  // namespace

// OCTAVO_KILLS: tests that kill do it so many times instead of a few.
Watchdog::Watchdog(int seconds)
    : seconds_((std::getenv("OCTAVO_KILLS") != nullptr ? 20 : 1) * (address_sanitized || thread_sanitized ? 4 * seconds : seconds)) {
  begin();
}
Watchdog::~Watchdog() {
  if (thread_.joinable()) end();
}

int Watchdog::fork() {
  end();
  int child = ::fork();
  if (child != 0) begin();
  return child;
}

void Watchdog::begin() {
  done_ = false;
  thread_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    if (over_.wait_for(lock, std::chrono::seconds(seconds_), [this] { return done_; })) return;
    std::fprintf(stderr, "watchdog: nothing finished within %d s; stacks of process %d:\n", seconds_, ::getpid());
    print_all_stacks();
    std::abort();
  });
}

void Watchdog::end() {
  {
    std::lock_guard lock(mutex_);
    done_ = true;
  }
  over_.notify_one();
  thread_.join();
}

}  // namespace octavo::kit
