// SPDX-License-Identifier: Apache-2.0
// The fork itself: of this process, but as a child of its parent.
#pragma once

#include <sys/types.h>

#include <string>

#include "octavo/base/fd.hpp"

namespace octavo::forking {

// 0 in the fork; its pid here, with `pidfd`; -errno where there is none. Of a process with one thread.
pid_t fork_as_sibling(Fd& pidfd);
// Shows `title` as this process's command line, in the room of the one it was started with.
void show_title(const std::string& title);

}  // namespace octavo::forking
