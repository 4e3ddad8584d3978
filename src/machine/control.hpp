// SPDX-License-Identifier: Apache-2.0
// What an agent and its processes say to each other, over a SEQPACKET socket pair made before the process began.
// Descriptors travel with a notice; their order is given beside each.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "octavo/base/error.hpp"
#include "octavo/base/fd.hpp"
#include "octavo/machine/address.hpp"
#include "octavo/machine/placement.hpp"
#include "octavo/road/choose.hpp"
#include "octavo/wire/archive.hpp"

namespace octavo::control {

// Agent to process, first of all. Descriptors: its doorbell, the pool.
struct Welcome {
  ProcessFacts you;
  unsigned slot = 0;
};
// Process to agent: make an object's server. `command` is its executable and what comes before the title that `ps` shows.
struct Spawn {
  std::uint64_t request = 0;
  Placement where;
  std::vector<std::string> command;
  std::string class_name;
};
// Agent to process: serve an object on a thread of yours. Descriptor: its control socket.
struct Host {
  std::uint64_t object = 0;
};
struct Connect {
  std::uint64_t request = 0;
  Address to;
};
// Agent to both ends of a new connection; request 0 at the end that did not ask. Descriptors: the doorbell to ring; but on a thread road
// also rings, socket; on a net road the event of the doorbell, which is a relay's.
struct Connected {
  std::uint64_t request = 0;
  ProcessFacts peer;
  unsigned peer_slot = 0;  // of the pool, where both share one
  int side = 0;
  road::road_kind road = road::road_kind::shm;
  std::uint64_t meeting = 0;  // of a thread road: both ends come together by this number
};
struct Failed {
  std::uint64_t request = 0;
  error_kind kind = error_kind::gone;
  std::string message, cure;
  std::optional<Obituary> obituary;
};
struct Died {
  Obituary obituary;
};
// Process to agent: the object was destroyed, the end that follows is no accident.
struct Bye {
  std::uint64_t reserved = 0;
};
struct Kill {
  std::uint64_t request = 0;
  Address who;
  int signal = 0;
};
// Agent to process: it was done.
struct Done {
  std::uint64_t request = 0;
};
// Process to agent: tell me when one of these dies, or at once of those that are dead. No other answer.
struct Watch {
  std::vector<Address> who;
};
struct List {
  std::uint64_t request = 0;
};
struct Listing {
  std::uint64_t request = 0;
  std::vector<ProcessFacts> processes;
};

using Notice = std::variant<Welcome, Spawn, Host, Connect, Connected, Failed, Died, Bye, Kill, Done, List, Listing, Watch>;

struct Received {
  Notice notice;
  std::vector<Fd> descriptors;
};

// False when the peer is gone.
bool send(int socket, const Notice& notice, std::span<const int> descriptors = {});
// Nothing at the end of the stream. Throws io_error for what is no notice.
std::optional<Received> receive(int socket);

}  // namespace octavo::control
