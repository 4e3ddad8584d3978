// SPDX-License-Identifier: Apache-2.0
// What an agent and its fork server (octavo/machine/fork_server.hpp) say to each other over a SEQPACKET socket: a request for a fork, and its reply.
// Replies come in the order of the requests. What a fork is for it reads from its own control socket, at once or later: until then it is a spare.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "machine/datagram.hpp"
#include "machine/forking/inherited.hpp"

namespace octavo::forking {

struct Request {
  Fd control, errors;  // the fork's control socket and standard error
};
struct Task {
  std::string title;     // what `ps` shows
  Fd directory;          // where it works
  Fd output;             // its standard output; none: that of its fork server
  Changes changes = {};  // of the environment of its fork server
};
struct Reply {
  std::int32_t pid = -1;
  std::int32_t error = 0;  // why there is none
};
struct Forked {
  Reply reply;
  Fd pidfd;
};

// Do not wait. False: it was not sent.
bool send(int socket, const Request& request);
bool send(int socket, const Task& task);
// Wait. False: the agent has ended. Throw io_error for what is no request, and no task.
bool receive(int socket, Request& into);
bool receive(int socket, Task& into);
// Of the directory that this process works in now, without one where it cannot be opened, and of its standard output, which it may have changed by dup2().
Task task_here(std::string title);

bool send(int socket, const Reply& reply, const Fd& pidfd);
// `flags`: MSG_DONTWAIT or 0. The pidfd is lost where this process has as many descriptors as it may. Throws io_error for what is no reply.
datagram::heard receive(int flags, int socket, Forked& into);

}  // namespace octavo::forking
