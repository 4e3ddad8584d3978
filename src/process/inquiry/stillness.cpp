// SPDX-License-Identifier: Apache-2.0
#include "process/inquiry/stillness.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ios>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "machine/board/still.hpp"

namespace octavo::detail {

namespace {

std::string first_line(const std::filesystem::path& file) {
  std::string line;
  std::getline(std::ifstream(file), line);
  return line;
}

// What is in /proc/self/task/N/syscall of a thread that only another one can wake: "202 address operation value timeout ..." with a timeout of 0.
bool sleeps_until_woken(const std::string& line) {
  std::array<unsigned long, 4> arguments{};
  const char* at = line.c_str();
  char* end = nullptr;
  const long call = std::strtol(at, &end, 10);
  if (end == at || call != SYS_futex) return false;
  for (auto& each : arguments) {
    at = end;
    each = std::strtoul(at, &end, 16);
    if (end == at) return false;
  }
  const auto operation = arguments[1] & static_cast<unsigned long>(FUTEX_CMD_MASK);
  return (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) && arguments[3] == 0;
}

// These act on what messages ask for, and what they have under way is counted elsewhere.
bool is_octavos(std::string_view name) { return name == "octavo-watch" || name == "octavo-sender" || name == "octavo-agent" || name == "octavo-disk"; }

}  // namespace

void Stillness::serves_here() { serving_.store(::gettid()); }

// Readers were woken by the rounds of others, and poll for a moment before they sleep: whoever is asleep a little later is asleep.
bool Stillness::some_thread_may_act(const board::Board* board) const {
  constexpr int most_polls = 5;
  for (int poll = 1; poll < most_polls && some_thread_is_awake(board); ++poll) std::this_thread::sleep_for(std::chrono::milliseconds(poll));
  return some_thread_is_awake(board);
}

bool Stillness::some_thread_is_awake(const board::Board* board) const {
  std::error_code failed;
  for (std::filesystem::directory_iterator task("/proc/self/task", failed), last; !failed && task != last; task.increment(failed)) {
    const int thread = std::atoi(task->path().filename().c_str());
    if (thread == serving_.load() || thread == only_waits_.load() || is_octavos(first_line(task->path() / "comm"))) continue;
    const bool is_first = thread == ::getpid();
    if (threads_only_serve_.load() && !is_first) continue;
    if (board != nullptr && board::runs_methods(*board, ::getpid(), thread)) continue;
    if (!sleeps_until_woken(first_line(task->path() / "syscall"))) return true;
  }
  return static_cast<bool>(failed);
}

std::uint64_t Stillness::round(const Facts& facts, std::uint64_t asked) {
  const bool looked = facts.looked_version >= std::exchange(asked_before_, asked);
  const bool same = std::exchange(counters_, facts.counters) == facts.counters;
  const bool still = looked && same && !facts.may_go_on && outside_->load() == 0 && !some_thread_may_act(facts.board);
  const auto rounds = still ? rounds_.load() + 1 : 0;
  rounds_.store(rounds);
  return rounds;
}

}  // namespace octavo::detail
