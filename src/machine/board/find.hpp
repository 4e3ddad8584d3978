// SPDX-License-Identifier: Apache-2.0
// Finding the status boards of this user's programs: among the descriptors of their processes, as /proc shows them. There is no path, no socket
// and no list of them that could be stale: a board is there exactly as long as its agent's process is.
#pragma once

#include <functional>

#include "machine/board/read.hpp"

namespace octavo::board {

struct Found {
  const Board& board;
  Head head;
  std::int64_t pid = 0;  // of its agent
};
// Throws io_error where /proc cannot be read.
void for_each(const std::function<void(const Found&)>& use);

}  // namespace octavo::board
