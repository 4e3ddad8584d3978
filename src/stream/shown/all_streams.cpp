// SPDX-License-Identifier: Apache-2.0
// What all streams show of themselves. Any process of this user may have written it, and may be at it: every number is bounded, and every text made clean.
#include <algorithm>
#include <map>
#include <optional>
#include <tuple>

#include "machine/board/find.hpp"
#include "octavo/machine/status.hpp"
#include "octavo/stream/detail/shown/shown.hpp"
#include "octavo/stream/status.hpp"
#include "stream/shown/layout.hpp"

namespace octavo {

namespace {

using board::get, board::get_text, board::seconds_since;
using stream::Counters, stream::doing, stream::part;

void add_line(const Counters& line, std::uint64_t now, StageStatus& into) {
  const std::uint64_t begun = line.begun, what = line.doing;
  const double since = seconds_since(line.since, now);
  double input = 1e-9 * static_cast<double>(line.waited_for_input), room = 1e-9 * static_cast<double>(line.waited_for_room);
  if (what == static_cast<std::uint64_t>(doing::waits_for_input)) {
    ++into.waiting_for_input;
    input += since;
  } else if (what == static_cast<std::uint64_t>(doing::waits_for_room)) {
    ++into.waiting_for_room;
    room += since;
  }
  const bool waits = what == static_cast<std::uint64_t>(doing::waits_for_input) || what == static_cast<std::uint64_t>(doing::waits_for_room);
  if (waits) into.waits_seconds = std::max(into.waits_seconds, since);
  double busy = 1e-9 * static_cast<double>(line.busy);
  if (begun != 0) busy = std::max(0.0, seconds_since(begun, now) - input - room);
  else if (what == static_cast<std::uint64_t>(doing::works)) busy += since;
  into.taken += line.taken;
  into.given += line.given;
  into.busy += busy;
  into.waited_for_input += input;
  into.waited_for_room += room;
}

StageStatus read_part(const stream::shown::Part& from, const Counters* lines, std::uint64_t count, std::uint64_t now) {
  StageStatus stage;
  stage.name = get_text(from.name);
  stage.place = get_text(from.place);
  stage.workers = static_cast<std::size_t>(std::min(get(from.workers), stream::shown::most_lines));
  for (std::uint64_t i = 0; i < count; ++i) add_line(lines[i], now, stage);
  return stage;
}

void add_part(part what, StageStatus&& read, StreamStatus& to, std::uint64_t& came) {
  if (what == part::source) to.came = came = read.given;
  if (what == part::sink) to.delivered = read.taken;
  if (what != part::stage) return;
  read.left = came - std::min(came, read.taken);
  came = read.given;
  to.stages.push_back(std::move(read));
}

// None: no stream of this version, or it has ended.
std::optional<StreamStatus> read_stream(const board::Memory& memory) {
  using stream::shown::Header;
  if (memory.bytes < sizeof(Header)) return std::nullopt;
  const auto& head = *reinterpret_cast<const Header*>(memory.at);
  if (get(head.magic) != stream::shown::magic || get(head.version) != stream::shown::version || get(head.runs) == 0) return std::nullopt;
  const std::uint64_t parts = get(head.parts), lines = get(head.lines);
  if (parts > stream::shown::most_parts || lines > stream::shown::most_lines || stream::shown::bytes_for(parts, lines) > memory.bytes) return std::nullopt;
  StreamStatus found;
  found.pid = board::pid_of(get(head.pid));
  if (found.pid != memory.pid) return std::nullopt;  // a fork of it
  found.address = {get(head.agent), board::incarnation_of(get(head.incarnation)), get(head.object)};
  found.class_name = get_text(head.class_name);
  found.started = board::time_of(get(head.begun));
  const auto* part = reinterpret_cast<const stream::shown::Part*>(&head + 1);
  const auto* line = reinterpret_cast<const Counters*>(part + parts);
  const std::uint64_t now = Counters::now();
  std::uint64_t left = lines, came = 0;
  for (std::uint64_t i = 0; i < parts; ++i, ++part) {
    const std::uint64_t count = std::min(get(part->lines), left);
    add_part(static_cast<stream::part>(get(part->what)), read_part(*part, line, count, now), found, came);
    line += count;
    left -= count;
  }
  return get(head.runs) != 0 ? std::optional(std::move(found)) : std::nullopt;
}

}  // namespace

std::vector<StreamStatus> all_streams() {
  std::vector<StreamStatus> all;
  board::for_each_memory(stream::shown::memory_name, [&](const board::Memory& memory) {
    if (auto found = read_stream(memory)) all.push_back(std::move(*found));
  });
  if (all.empty()) return all;
  std::map<std::int64_t, std::int64_t> agents;  // by the pid of each process
  for (const auto& each : all_processes()) agents.emplace(each.facts.pid, each.agent_pid);
  for (auto& each : all) {
    const auto agent = agents.find(each.pid);
    each.agent_pid = agent != agents.end() ? agent->second : each.pid;
  }
  std::stable_sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return std::tuple(a.pid, a.started) < std::tuple(b.pid, b.started); });
  return all;
}

}  // namespace octavo
