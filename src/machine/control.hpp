// SPDX-License-Identifier: Apache-2.0
// What an agent and its processes say to each other, over a SEQPACKET socket pair made before the process began.
// Descriptors travel with a notice; their order is given beside each.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "octavo/base/fd.hpp"
#include "octavo/machine/address.hpp"
#include "octavo/wire/archive.hpp"

namespace octavo::control {

// Agent to process, first of all. Descriptors: its doorbell, the pool.
struct Welcome {
  ProcessFacts you;
  unsigned slot = 0;
};
// Process to agent: make a process. `command` is its executable and what comes before the title that `ps` shows.
struct Spawn {
  std::uint64_t request = 0;
  std::vector<std::string> command;
  std::string class_name;
};
struct Connect {
  std::uint64_t request = 0;
  Address to;
};
// Agent to both ends of a new connection; request 0 at the end that did not ask. Descriptors: rings, socket, the peer's doorbell.
struct Connected {
  std::uint64_t request = 0;
  ProcessFacts peer;
  unsigned peer_slot = 0;
  int side = 0;
};
struct Failed {
  std::uint64_t request = 0;
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
  Address who;
  int signal = 0;
};
struct List {
  std::uint64_t request = 0;
};
struct Listing {
  std::uint64_t request = 0;
  std::vector<ProcessFacts> processes;
};

using Notice = std::variant<Welcome, Spawn, Connect, Connected, Failed, Died, Bye, Kill, List, Listing>;

struct Received {
  Notice notice;
  std::vector<Fd> descriptors;
};

// False when the peer is gone.
bool send(int socket, const Notice& notice, std::span<const int> descriptors = {});
// Nothing at the end of the stream. Throws io_error for what is no notice.
std::optional<Received> receive(int socket);

}  // namespace octavo::control
