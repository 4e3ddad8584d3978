// SPDX-License-Identifier: Apache-2.0
// Finding the status boards of this user's programs: among the descriptors of their processes, as /proc shows them. There is no path, no socket
// and no list of them that could be stale: a board is there exactly as long as its agent's process is.
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <functional>
#include <memory>
#include <set>

#include "machine/board/read.hpp"
#include "machine/host/process_stat.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/fd.hpp"

namespace octavo {

namespace {

// The entries of a directory whose names are numbers. False: it cannot be read.
bool for_each_number(const std::string& directory, const std::function<void(std::int64_t)>& use) {
  std::unique_ptr<DIR, int (*)(DIR*)> open(::opendir(directory.c_str()), ::closedir);
  if (!open) return false;
  while (const dirent* entry = ::readdir(open.get())) {
    std::string_view name = entry->d_name;
    std::int64_t number = 0;
    auto [end, status] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (status == std::errc() && end == name.data() + name.size()) use(number);
  }
  return true;
}

using Mapped = std::unique_ptr<const board::Board, void (*)(const board::Board*)>;

// The board behind a descriptor of another process, which may be something else by now.
Mapped map_board(const std::string& link) {
  constexpr auto unmap = [](const board::Board* at) { ::munmap(const_cast<board::Board*>(at), sizeof(board::Board)); };
  Mapped none(nullptr, unmap);
  std::array<char, 64> target{};
  constexpr std::string_view prefix = "/memfd:";
  if (::readlink(link.c_str(), target.data(), target.size() - 1) <= 0) return none;
  if (std::string_view(target.data()) != std::string(prefix) + board::memory_name + " (deleted)") return none;
  Fd memory(::open(link.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat status {};
  if (!memory || ::fstat(memory.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_size != sizeof(board::Board)) return none;
  int seals = ::fcntl(memory.get(), F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0) return none;  // it could be cut while we read
  void* at = ::mmap(nullptr, sizeof(board::Board), PROT_READ, MAP_SHARED, memory.get(), 0);
  if (at == MAP_FAILED) return none;
  return {static_cast<const board::Board*>(at), unmap};
}

void fill_from_system(ProcessStatus& status, const ProcessStat& system) {
  status.memory_bytes = system.resident_bytes;
  if (system.stopped()) status.state = process_state::stopped;
  else if (system.ended()) status.state = process_state::ended;
}

// Of one agent, whose process has the board open.
void read_board(const board::Board& board, std::int64_t pid, std::vector<ProcessStatus>& into) {
  auto head = board::read_head(board.header);
  auto agent = head && head->agent.pid == pid ? stat_of(pid) : std::nullopt;  // a child that has just been given it is not its owner
  if (!agent) return;
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  std::uint64_t now = static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(time.tv_nsec);
  std::vector<ProcessStatus> found;
  if (head->kind != agent_kind::program) {
    ProcessStatus itself;
    itself.facts = head->agent;
    itself.state = process_state::running;
    fill_from_system(itself, *agent);
    found.push_back(itself);
  }
  for (const auto& row : board.rows) {
    auto status = board::read_row(row, now);
    auto system = status ? stat_of(status->facts.pid) : std::nullopt;
    if (!system || (status->facts.pid != pid && system->parent != pid)) continue;  // it has ended, or never was a process of this agent
    status->facts.address.agent = head->agent.address.agent;
    status->facts.machine = head->agent.machine;
    if (status->facts.address.object == 1 && status->state == process_state::idle) status->state = process_state::running;
    fill_from_system(*status, *system);
    found.push_back(std::move(*status));
  }
  for (auto& each : found) {
    each.agent = head->kind;
    each.agent_pid = pid;
  }
  into.insert(into.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
}

void look_through(std::int64_t pid, std::vector<ProcessStatus>& into) {
  std::string directory = "/proc/" + std::to_string(pid);
  struct stat status {};
  if (::stat(directory.c_str(), &status) != 0 || status.st_uid != ::geteuid()) return;
  std::set<std::uint64_t> agents;  // two descriptors of one board are one board
  for_each_number(directory + "/fd", [&](std::int64_t number) {
    if (auto mapped = map_board(directory + "/fd/" + std::to_string(number)))
      if (agents.insert(mapped->header.agent.load()).second) read_board(*mapped, pid, into);
  });
}

}  // namespace

std::vector<ProcessStatus> all_processes() {
  std::vector<ProcessStatus> all;
  if (!for_each_number("/proc", [&](std::int64_t pid) { look_through(pid, all); }))
    throw io_error_from(errno, "listing the processes of this machine in '/proc'");
  auto order = [](const ProcessStatus& each) {
    return std::tuple(each.agent_pid, each.facts.address.agent, each.facts.address.object != 0, each.facts.started);
  };
  std::stable_sort(all.begin(), all.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
  return all;
}

void send_signal(const ProcessStatus& who, int signal) {
  std::string name = who.facts.class_name + " (pid " + std::to_string(who.facts.pid) + ")";
  if (who.on_thread)
    throw usage_error(name + " lives on a thread, so it cannot be sent a signal alone",
                      "Destroy it, or send the signal to its whole process, pid " + std::to_string(who.facts.pid));
  // Held first, and then looked at: what is found to be this object's is what is held.
  Fd process(static_cast<int>(::syscall(SYS_pidfd_open, static_cast<pid_t>(who.facts.pid), 0)));
  auto all = process ? all_processes() : std::vector<ProcessStatus>();
  bool same = std::any_of(all.begin(), all.end(), [&](const auto& each) {
    return each.facts.address == who.facts.address && each.facts.pid == who.facts.pid && each.facts.started == who.facts.started;
  });
  if (!same) throw gone_error(name + " has ended");
  if (::syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0) == 0) return;
  if (errno == ESRCH) throw gone_error(name + " has ended");
  if (errno == EINVAL) throw usage_error("there is no signal " + std::to_string(signal), "See `kill -l`");
  throw refused(name + " takes no signal of this user");
}

std::string_view to_string(agent_kind kind) noexcept {
  switch (kind) {
    case agent_kind::program: return "program";
    case agent_kind::machine: return "machine";
    case agent_kind::lasting: return "lasting";
  }
  return "unknown";
}

std::string_view to_string(process_state state) noexcept {
  switch (state) {
    case process_state::idle: return "idle";
    case process_state::running: return "running";
    case process_state::waiting: return "waiting";
    case process_state::stopped: return "stopped";
    case process_state::ended: return "ended";
  }
  return "unknown";
}

}  // namespace octavo
