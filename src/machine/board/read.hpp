// SPDX-License-Identifier: Apache-2.0
// Reading a status board that somebody else writes, or that somebody forged: every number is bounded and every text made clean.
//
//   if (auto head = board::read_head(mapped))
//     for (const auto& row : mapped.rows)
//       if (auto living = board::read_row(row, now)) show(*living);
//
// Nothing for what is no board of this version, or a row that is free or cannot be. Threading: any; writers are not held up.
#pragma once

#include <optional>
#include <string>

#include "machine/board/layout.hpp"
#include "machine/board/words.hpp"
#include "octavo/machine/status.hpp"

namespace octavo::board {

struct Head {
  agent_kind kind = agent_kind::program;
  ProcessFacts agent;
};
std::optional<Head> read_head(const Header& header);

// What the row says; the machine, the agent, the state of its process and its memory are filled in by the caller. `now`: ns of the
// monotonic clock. Its state is idle, running or waiting. `torn`: whether the writer stood in the middle of a change for all the time we looked.
std::optional<ProcessStatus> read_row(const Row& row, std::uint64_t now, bool* torn = nullptr);

// Of an agent with this address; a second of the same agent has its incarnation.
std::optional<RoadStatus> read_road(const Road& road, const Address& agent);

}  // namespace octavo::board
