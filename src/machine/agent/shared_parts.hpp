// SPDX-License-Identifier: Apache-2.0
// The memory that all processes of an agent map: the pool of pages, the status board, the words of the mutexes. Made once, when the agent begins. And which
// pages are segments with names; what ends the processes that objects have started.
#pragma once

#include <cstdint>

#include "machine/agent/children/children.hpp"
#include "machine/agent/children/slots.hpp"
#include "machine/agent/children/sweeping.hpp"
#include "machine/agent/common/identity.hpp"
#include "machine/agent/services/segments.hpp"
#include "machine/board/board.hpp"
#include "machine/locks/lock_words.hpp"
#include "octavo/machine/pool.hpp"

namespace octavo::agent {

struct SharedParts {
  SharedParts(std::int64_t pool_bytes, agent_kind kind, const Identity& self)
      : pool(Pool::make(pool_bytes), Pool::agent_slot),
        board_memory(StatusBoard::make(kind, self.facts())),
        board(board_memory),
        lock_memory(LockWords::make()) {}
  [[nodiscard]] SharedMemory descriptors() const { return {pool.descriptor(), board_memory.get(), lock_memory.get()}; }

  Pool pool;
  Slots slots{Pool::most_processes, [this](unsigned slot) { return pool.reclaim(slot); }};
  Fd board_memory;  // open as long as the board is to be found
  StatusBoard board;
  Fd lock_memory;
  Segments segments{[this](const wire::PageRef& page) { return pool.has(page); }};
  Sweeping sweeping;
};

}  // namespace octavo::agent
