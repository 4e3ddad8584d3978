// SPDX-License-Identifier: Apache-2.0
// A link (octavo/road/link.hpp) over two descriptors that carry bytes one way each: pipes or Unix sockets, as a command has them for its standard input and
// output.
//
//   auto link = open_pipe_link(std::move(its_output), std::move(its_input));
//
// Both become nonblocking for whoever shares them. A write to a pipe that nobody reads raises SIGPIPE: it is used on threads that block that, as the library's
// own do, or in a process that ignores it. Throws io_error.
#pragma once

#include <memory>

#include "octavo/base/fd.hpp"
#include "octavo/road/link.hpp"

namespace octavo::road::ssh {

std::unique_ptr<Link> open_pipe_link(Fd from, Fd to);

}  // namespace octavo::road::ssh
