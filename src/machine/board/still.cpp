// SPDX-License-Identifier: Apache-2.0
#include "machine/board/still.hpp"

#include <algorithm>

#include "machine/board/read.hpp"

namespace octavo::board {

namespace {

std::uint64_t value_of(const Word& word) { return word.load(std::memory_order_relaxed); }

bool is_stalled(const Row& row, std::uint64_t rounds, std::uint64_t earliest) {
  if (value_of(row.living) == 0) return true;
  const auto said = row.said.load(std::memory_order_acquire);
  return said >= earliest && value_of(row.still) >= rounds && value_of(row.arrived) <= value_of(row.begun);
}

}  // namespace

bool all_stand_still(const Board& board, std::uint64_t rounds, std::uint64_t earliest) {
  if (value_of(board.header.kind) == static_cast<std::uint64_t>(agent_kind::lasting)) return false;
  const auto agent = value_of(board.header.agent);
  const bool elsewhere = std::any_of(board.roads.begin(), board.roads.end(),
                                     [agent](const Road& road) { return (value_of(road.mark) & 0xff) != 0 && value_of(road.second_agent) != agent; });
  const bool unknown = (value_of(board.roads.back().mark) & 0xff) != 0;  // there may be connections that found no place
  return !elsewhere && !unknown && std::all_of(board.rows.begin(), board.rows.end(), [&](const Row& row) { return is_stalled(row, rounds, earliest); });
}

bool runs_methods(const Board& board, int process, int thread) {
  return std::any_of(board.rows.begin(), board.rows.end(), [&](const Row& row) {
    return value_of(row.serving) == static_cast<std::uint64_t>(thread) && value_of(row.living) != 0 && value_of(row.pid) == static_cast<std::uint64_t>(process);
  });
}

std::string text_of_waits(const Board& board, std::uint64_t now) {
  constexpr int most = 8;
  std::string text;
  int shown = 0;
  for (const auto& row : board.rows) {
    auto status = read_row(row, now);
    if (!status || (!status->waits_for && status->calls_owed == 0)) continue;
    if (++shown > most) return text + "; and others";
    text += (text.empty() ? "" : "; ") + status->facts.class_name + " (process " + std::to_string(status->facts.address.object) + ", pid " +
            std::to_string(status->facts.pid) + ")";
    if (status->waits_for) text += " waits for process " + std::to_string(status->waits_for.object);
    if (status->calls_owed != 0)
      text += std::string(status->waits_for ? " and" : "") + " owes " + std::to_string(status->calls_owed) + (status->calls_owed == 1 ? " answer" : " answers");
  }
  return text;
}

}  // namespace octavo::board
