// SPDX-License-Identifier: Apache-2.0
// What agents say to each other, as controls of the relay between them.
#pragma once

#include <cstdint>
#include <string>
#include <variant>

#include "machine/control.hpp"

namespace octavo::talk {

inline constexpr std::uint32_t version = 5;

// First of all, from both.
struct Hello {
  std::uint32_t version = talk::version;
  std::uint64_t agent = 0;
  std::uint32_t incarnation = 0;
  std::string machine;
  std::int64_t pid = 0;  // of the process that it is in
};
// A request of a process (Spawn, Connect, Kill, List; Watch, of processes of one agent) for the other agent. If it comes to a connection, `channel` carries it;
// or, if the doorbells of its agent came as a descriptor, and all agents between are on one machine, nobody does.
struct ForwardedRequest {
  std::uint64_t request = 0;
  std::uint64_t channel = 0;
  ProcessFacts requester;
  control::Notice notice;
  unsigned slot = 0;  // of the requester at its agent: which of the doorbells that came is its own
};
// Connected (the peer is said, and the channel is open there), Failed, Done or Listing. Descriptors, of a connection that no channel carries (shm): the
// doorbells, rings, socket.
struct ForwardedReply {
  std::uint64_t request = 0;
  control::Notice notice;
};
struct Died {
  Obituary obituary;
};
// A program to a lasting agent that it has met: of the mailboxes of the home its processes read those that it has asked for before, and no others.
struct ReadsTold {};

using Notice = std::variant<Hello, ForwardedRequest, ForwardedReply, Died, ReadsTold>;

// In an envelope. decode() throws io_error for what is no notice: see envelope.hpp, or of an unknown kind.
wire::Body encode(const Notice& notice);
Notice decode(ByteView bytes);

}  // namespace octavo::talk
