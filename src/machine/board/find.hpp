// SPDX-License-Identifier: Apache-2.0
// Finding the status boards of this user's programs, and what else they show: among the descriptors of their processes, as /proc shows them. There is no path,
// no socket and no list of them that could be stale: a board is there exactly as long as its agent's process is.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>

#include "machine/board/read.hpp"

namespace octavo::board {

struct Found {
  const Board& board;
  Head head;
  std::int64_t pid = 0;  // of its agent
};
// Memory that a process holds open: a memfd of this name, sealed against shrinking, mapped while it is used. It was given to that process, or is its own.
struct Memory {
  const std::byte* at;
  std::size_t bytes;
  std::int64_t pid = 0;
};
// Both throw io_error where /proc cannot be read.
void for_each_memory(std::string_view name, const std::function<void(const Memory&)>& use);
void for_each(const std::function<void(const Found&)>& use);

}  // namespace octavo::board
