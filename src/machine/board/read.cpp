// SPDX-License-Identifier: Apache-2.0
#include "machine/board/read.hpp"

#include <bit>
#include <chrono>
#include <cmath>
#include <limits>
#include <thread>

#include "machine/board/words.hpp"
#include "machine/utf8.hpp"

namespace octavo::board {

namespace {

constexpr int most_tries = 50, tries_at_once = 20;  // then the writer has been stopped or killed in its change, and what is there is taken
constexpr auto between_tries = std::chrono::microseconds(100);
constexpr std::uint64_t largest_pid = 1 << 22;  // of the system
constexpr double latest_time = 32503680000;     // the year 3000
constexpr double longest_seconds = 100. * 365 * 86400;

// `read` again until nothing has changed meanwhile.
template <class Read>
bool settled(const Word& sequence, const Read& read) {
  for (int tries = 0; tries < most_tries; ++tries) {
    if (tries > tries_at_once) std::this_thread::sleep_for(between_tries);  // the writer may want this core
    std::uint64_t before = get(sequence);
    read();
    if (before % 2 == 0 && get(sequence) == before) return true;
  }
  return false;
}

bool read_waiting(const Waiting& from, std::uint64_t now, ProcessStatus& into) {
  bool whole = settled(from.sequence, [&] {
    into.waits_for = {get(from.agent), incarnation_of(get(from.incarnation)), get(from.object)};
    into.waits_in = get_text(from.method);
    into.waits_seconds = seconds_since(get(from.since), now);
  });
  if (!into.waits_for) {
    into.waits_for = {};
    into.waits_in.clear();
    into.waits_seconds = 0;
  }
  return whole;
}

bool read_doing(const Row& row, std::uint64_t now, ProcessStatus& into) {
  std::uint64_t begun = 0, arrived = 0, running = 0;
  bool whole = settled(row.doing, [&] {
    begun = get(row.begun);
    into.calls_done = get(row.done);
    running = get(row.running);
    into.method = running != 0 ? get_text(row.method) : std::string();
    into.method_seconds = running != 0 ? seconds_since(get(row.since), now) : 0;
  });
  whole = read_waiting(row.waits, now, into) && whole;
  const bool waits = static_cast<bool>(into.waits_for);
  if (!waits) whole = read_waiting(row.beside, now, into) && whole;
  arrived = get(row.arrived);
  into.calls_waiting = arrived > begun ? arrived - begun : 0;
  into.bytes_received = get(row.received);
  into.bytes_sent = get(row.sent) + get(row.sent_aside);
  into.calls_owed = get(row.owed);
  into.state = waits ? process_state::waiting : running != 0 ? process_state::running : into.calls_owed != 0 ? process_state::suspended : process_state::idle;
  return whole;
}

}  // namespace

double time_of(std::uint64_t bits) {
  auto time = std::bit_cast<double>(bits);
  return std::isfinite(time) && time > 0 && time < latest_time ? time : 0;
}

double seconds_since(std::uint64_t since, std::uint64_t now) {
  double seconds = since < now ? static_cast<double>(now - since) * 1e-9 : 0;
  return seconds < longest_seconds ? seconds : 0;
}

std::int64_t pid_of(std::uint64_t word) { return word <= largest_pid ? static_cast<std::int64_t>(word) : 0; }

std::uint32_t incarnation_of(std::uint64_t word) { return word <= std::numeric_limits<std::uint32_t>::max() ? static_cast<std::uint32_t>(word) : 0; }

std::string clean_text(std::string_view bytes) {
  std::string clean;
  clean.reserve(bytes.size());
  while (!bytes.empty()) {
    std::uint32_t code = 0;
    std::size_t length = utf8_character(bytes, code);
    if (length == 0 || is_control_character(code)) {
      clean += '?';
      length = 1;
    } else {
      clean += bytes.substr(0, length);
    }
    bytes.remove_prefix(length);
  }
  return clean;
}

std::optional<Head> read_head(const Header& header) {
  if (get(header.magic) != magic || get(header.version) != version) return std::nullopt;
  if (get(header.rows) != Pool::most_processes || get(header.row_bytes) != sizeof(Row)) return std::nullopt;
  std::uint64_t kind = get(header.kind);
  Head head;
  head.agent.pid = pid_of(get(header.pid));
  if (kind > static_cast<std::uint64_t>(agent_kind::lasting) || head.agent.pid == 0) return std::nullopt;
  head.kind = static_cast<agent_kind>(kind);
  head.agent.address = {get(header.agent), incarnation_of(get(header.incarnation)), 0};
  head.agent.class_name = "the agent";
  head.agent.machine = get_text(header.machine);
  head.agent.started = time_of(get(header.begun));
  return head;
}

// Without a default, so that a new kind does not compile until it is here.
bool is_known(road::road_kind kind) {
  switch (kind) {
    case road::road_kind::thread:
    case road::road_kind::shm:
    case road::road_kind::net: return true;
  }
  return false;
}

std::optional<RoadStatus> read_road(const Road& road, const Address& agent) {
  const std::uint64_t mark = get(road.mark), kind = mark & 0xff;
  RoadStatus status;
  status.road = static_cast<road::road_kind>(kind - 1);
  if (kind == 0 || !is_known(status.road)) return std::nullopt;
  status.first = {agent.agent, agent.incarnation, get(road.first)};
  status.second = {get(road.second_agent), incarnation_of(get(road.second_incarnation)), get(road.second)};
  if (get(road.mark) != mark) return std::nullopt;  // it was another's meanwhile
  return status;
}

std::optional<ProcessStatus> read_row(const Row& row, std::uint64_t now, bool* torn) {
  ProcessStatus status;
  bool living = false;
  bool whole = settled(row.sequence, [&] {
    living = get(row.living) == 1;
    if (!living) return;
    status.facts.address = {0, incarnation_of(get(row.incarnation)), get(row.object)};
    status.facts.pid = pid_of(get(row.pid));
    status.facts.started = time_of(get(row.made));
    status.on_thread = get(row.host) != 0;
    status.facts.class_name = get_text(row.class_name);
    status.name = get_text(row.name);
  });
  if (!living || status.facts.pid == 0 || status.facts.address.object == 0) return std::nullopt;
  for (const auto& each : row.mail)
    if (const auto mailbox = get(each.mailbox); mailbox != 0) status.unread[mailbox] = get(each.unread);
  std::uint64_t entered = get(row.sequence);
  bool whole_doing = read_doing(row, now, status);
  if (get(row.sequence) != entered) return std::nullopt;  // it has ended meanwhile
  if (torn != nullptr) *torn = !whole || !whole_doing;
  if (!status.name.empty()) status.name = "ov://" + status.name;
  return status;
}

}  // namespace octavo::board
