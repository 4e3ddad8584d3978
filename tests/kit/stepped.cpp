// SPDX-License-Identifier: Apache-2.0
#include "kit/stepped.hpp"

#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>

#include "base/delay_point.hpp"

namespace octavo::kit {

namespace {

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what + ": " + std::strerror(errno)); }

void check(long result, const char* what) {
  if (result == -1) fail(what);
}

}  // namespace

std::string Stepped::missing() {
  try {
    return Stepped([] {}).steps().empty() ? "a child ended before its first instruction" : "";
  } catch (const std::exception& e) {
    return e.what();
  }
}

Stepped::Stepped(const std::function<void()>& work) : pid_(::fork()) {
  if (pid_ == 0) {
    delay_this_thread_never();
    void (*volatile end)(int) = &::_exit;  // found now, not by the loader in the middle of the steps
    if (::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) end(2);
    ::raise(SIGSTOP);
    work();
    end(0);
  }
  int status = 0;
  if (pid_ > 0 && ::waitpid(pid_, &status, 0) == pid_ && WIFSTOPPED(status)) return;
  kill();
  fail("no child can be traced here");
}

Stepped::Steps Stepped::steps() {
  Steps all;
  do all.push_back(place());
  while (go(PTRACE_SINGLESTEP));
  return all;
}

// A breakpoint there; what was there before in the same place is run through.
bool Stepped::run_to(const Steps& steps, std::size_t n) {
  const auto at = steps[n];
  auto times = std::count(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(n) + 1, at);
  errno = 0;
  const long code = ::ptrace(PTRACE_PEEKTEXT, pid_, at, nullptr);
  if (code == -1 && errno != 0) fail("reading a child's code");
  const long trap = (code & ~0xffL) | 0xcc;
  if (place() == at && --times == 0) return true;
  for (;; --times) {
    if (place() == at && !go(PTRACE_SINGLESTEP)) return false;
    check(::ptrace(PTRACE_POKETEXT, pid_, at, trap), "setting a breakpoint");
    if (!go(PTRACE_CONT)) return false;
    check(::ptrace(PTRACE_POKETEXT, pid_, at, code), "removing a breakpoint");
    move_to(at);
    if (times == 1) return true;
  }
}

void Stepped::kill() {
  if (pid_ <= 0) return;
  ::kill(pid_, SIGKILL);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {}
  pid_ = -1;
}

std::uint64_t Stepped::place() const {
  user_regs_struct registers{};
  check(::ptrace(PTRACE_GETREGS, pid_, nullptr, &registers), "reading a child's registers");
  return registers.rip;
}

void Stepped::move_to(std::uint64_t place) const {
  user_regs_struct registers{};
  check(::ptrace(PTRACE_GETREGS, pid_, nullptr, &registers), "reading a child's registers");
  registers.rip = place;
  check(::ptrace(PTRACE_SETREGS, pid_, nullptr, &registers), "setting a child's registers");
}

// False: it has ended.
bool Stepped::go(int request) {
  int status = 0;
  check(::ptrace(static_cast<__ptrace_request>(request), pid_, nullptr, nullptr), "running a child");
  check(::waitpid(pid_, &status, 0), "waiting for a child");
  if (WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP) return true;
  const int pid = pid_;
  if (WIFEXITED(status)) pid_ = -1;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error("child " + std::to_string(pid) + " failed: status " + std::to_string(status));
  return false;
}

}  // namespace octavo::kit
