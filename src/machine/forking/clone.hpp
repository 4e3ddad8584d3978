// SPDX-License-Identifier: Apache-2.0
// The fork itself: of this process, but as a child of its parent.
#pragma once

#include <sys/types.h>

#include <span>
#include <string_view>

#include "octavo/base/fd.hpp"

namespace octavo::forking {

// 0 in the fork; its pid here, with `pidfd`; -errno where there is none. Of a process with one thread.
pid_t fork_as_sibling(Fd& pidfd);
// What is shown as the command line of this process and its forks, in the room of the one it was started with.
class Title {
 public:
  Title();  // finds the room
  void show(std::string_view title) const noexcept;

 private:
  std::span<char> room_;
};

}  // namespace octavo::forking
