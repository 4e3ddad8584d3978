// SPDX-License-Identifier: Apache-2.0
// What all boards say of processes, with what the system says of them.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <tuple>

#include "machine/board/find.hpp"
#include "machine/host/process_stat.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/fd.hpp"

namespace octavo {

namespace {

void fill_from_system(ProcessStatus& status, const ProcessStat& system) {
  status.memory_bytes = system.resident_bytes;
  if (system.stopped()) status.state = process_state::stopped;
  else if (system.ended()) status.state = process_state::ended;
}

// Of one agent.
void read_board(const board::Found& of, std::vector<ProcessStatus>& into) {
  const auto& [board, head, pid] = of;
  auto agent = stat_of(pid);
  if (!agent) return;
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  std::uint64_t now = static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(time.tv_nsec);
  std::vector<ProcessStatus> found;
  if (head.kind != agent_kind::program) {
    ProcessStatus itself;
    itself.facts = head.agent;
    itself.state = process_state::running;
    fill_from_system(itself, *agent);
    found.push_back(itself);
  }
  for (const auto& row : board.rows) {
    auto status = board::read_row(row, now);
    auto system = status ? stat_of(status->facts.pid) : std::nullopt;
    if (!system || (status->facts.pid != pid && system->parent != pid)) continue;  // it has ended, or never was a process of this agent
    status->facts.address.agent = head.agent.address.agent;
    status->facts.machine = head.agent.machine;
    if (status->facts.address.object == 1 && status->state == process_state::idle) status->state = process_state::running;
    fill_from_system(*status, *system);
    found.push_back(std::move(*status));
  }
  for (auto& each : found) {
    each.agent = head.kind;
    each.agent_pid = pid;
  }
  into.insert(into.end(), std::make_move_iterator(found.begin()), std::make_move_iterator(found.end()));
}

}  // namespace

std::vector<ProcessStatus> all_processes() {
  std::vector<ProcessStatus> all;
  board::for_each([&](const board::Found& found) { read_board(found, all); });
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
    case process_state::suspended: return "suspended";
    case process_state::stopped: return "stopped";
    case process_state::ended: return "ended";
  }
  return "unknown";
}

}  // namespace octavo
