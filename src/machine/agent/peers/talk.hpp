// SPDX-License-Identifier: Apache-2.0
// What agents say to each other, as controls of the relay between them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

#include "machine/control.hpp"
#include "octavo/road/steady_link.hpp"

namespace octavo::talk {

inline constexpr std::uint32_t version = 6;

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
// What agents of two machines that are not the program's say to each other by the hub, about a link between them (siblings/siblings.hpp). The hub says `from`
// and `machine`, and answers itself where it has no such agent.
enum class about_siblings : std::uint8_t {
  want,    // say where you listen: who has the lower number calls
  come,    // call there
  none,    // there will be no such link now, and this is why
  broken,  // our link is lost to me
  lives,   // and its answer
  lost     // the hub: this agent is lost, with its machine
};
struct Siblings {
  about_siblings what = about_siblings::want;
  std::uint64_t from = 0, to = 0;  // agents
  std::string machine;             // of `from`
  std::string address;             // of come: as road::dial() takes it
  std::array<std::byte, 16> session{};
  std::string why;
};

using Notice = std::variant<Hello, ForwardedRequest, ForwardedReply, Died, ReadsTold, Siblings>;

// In an envelope. decode() throws io_error for what is no notice: see envelope.hpp, or of an unknown kind.
wire::Body encode(const Notice& notice);
Notice decode(ByteView bytes);

}  // namespace octavo::talk
