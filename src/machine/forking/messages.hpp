// SPDX-License-Identifier: Apache-2.0
// What an agent and its fork server (octavo/machine/fork_server.hpp) say to each other over a SEQPACKET socket: a request for a fork, and its reply.
// Replies come in the order of the requests.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "machine/datagram.hpp"

namespace octavo::forking {

struct Request {
  std::string title;              // what `ps` shows
  Fd control, errors, directory;  // the fork's control socket and standard error; where it works
};
struct Reply {
  std::int32_t pid = -1;
  std::int32_t error = 0;  // why there is none
};
struct Forked {
  Reply reply;
  Fd pidfd;
};

// Does not wait. False: the request was not sent.
bool send(int socket, const Request& request);
// Waits. False: the agent has ended. Throws io_error for what is no request.
bool receive(int socket, Request& into);

bool send(int socket, const Reply& reply, const Fd& pidfd);
// `flags`: MSG_DONTWAIT or 0. The pidfd is lost where this process has as many descriptors as it may. Throws io_error for what is no reply.
datagram::heard receive(int flags, int socket, Forked& into);

}  // namespace octavo::forking
