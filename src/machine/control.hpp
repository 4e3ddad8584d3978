// SPDX-License-Identifier: Apache-2.0
// What an agent and its processes say to each other, over a SEQPACKET socket pair made before the process began.
// Descriptors travel with a notice; their order is given beside each.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <variant>
#include <vector>

#include "machine/datagram.hpp"
#include "machine/notices/channel_notices.hpp"
#include "machine/notices/envelope.hpp"
#include "machine/notices/home_lock_notices.hpp"
#include "machine/notices/home_segment_notices.hpp"
#include "machine/notices/lock_notices.hpp"
#include "machine/notices/mailbox_notices.hpp"
#include "machine/notices/name_notices.hpp"
#include "machine/notices/segment_notices.hpp"
#include "octavo/base/error.hpp"
#include "octavo/base/fd.hpp"
#include "octavo/machine/address.hpp"
#include "octavo/machine/facts.hpp"
#include "octavo/machine/placement.hpp"
#include "octavo/road/choose.hpp"
#include "octavo/wire/archive.hpp"

namespace octavo::control {

// Agent to process, first of all. Descriptors: the doorbells (its own is that of its slot), the pool, the status board, the words of the mutexes.
struct Welcome {
  ProcessFacts you;
  unsigned slot = 0;
  std::optional<NamedHome> named;
  std::uint64_t mark = 0;  // that it puts on, for its sweeper (machine/sweeper/mark.hpp); 0: what it starts is left alone
};
// Process to agent: make an object's server. `command` is its executable and what comes before the title that `ps` shows.
struct Spawn {
  std::uint64_t request = 0;
  Placement where;
  std::vector<std::string> command;
  std::string class_name;
  StateClass how;                        // of one with a name
  std::string directory;                 // of one with a name: where it works; empty: where its agent does
  std::vector<std::string> environment;  // of one with a name: "NAME=value"; none: its agent's
};
// Agent to process: close the connection with this object, unless something is under way there. And its answer.
struct Disconnect {
  std::uint64_t request = 0;
  Address who;
};
struct Disconnected {
  std::uint64_t request = 0;
  bool all = false;
};
// Agent to process: serve an object on a thread of yours. Descriptor: its control socket.
struct Host {
  std::uint64_t object = 0;
};
struct Connect {
  std::uint64_t request = 0;
  Address to;
};
// Agent to both ends of a new connection; request 0 at the end that did not ask. Descriptors: the doorbells, of which that of the peer's slot is to be rung (on
// a net road the relay's only one); but on a thread road also rings, socket; on a net road the event of the doorbell, which is a relay's.
struct Connected {
  std::uint64_t request = 0;
  ProcessFacts peer;
  unsigned peer_slot = 0;    // the peer's at its agent, or on a net road the agent's
  std::uint32_t number = 0;  // of the connection (road/shm.hpp), where pages travel between two that may end alone; 0 on a shm road: their pools are two
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
// As an answer to what threw it.
Failed failed(const std::exception& why);
struct Died {
  Obituary obituary;
};
// Process to agent: the end that follows is no accident. The object was destroyed, or rests in its saved state. Answered by Done where it is a request: then
// nobody finds its name any more.
struct Bye {
  bool resting = false;
  std::uint64_t request = 0;
};
struct Kill {
  std::uint64_t request = 0;
  Address who;
  int signal = 0;
  bool until_dead = false;  // it is answered when the process is dead
};
// Agent to process: it was done.
struct Done {
  std::uint64_t request = 0;
};
// Process to agent: tell me when one of these dies, or at once of those that are dead. No other answer.
struct Watch {
  std::vector<Life> who;
};
struct List {
  std::uint64_t request = 0;
};
struct Listing {
  std::uint64_t request = 0;
  std::vector<ProcessFacts> processes;
};
// Process to agent, and its answer: the state of a machine's hardware.
struct AskFacts {
  std::uint64_t request = 0;
  std::string machine;
};
struct Facts {
  std::uint64_t request = 0;
  MachineFacts facts;
};

// One variant for each service: the part that takes its notices visits all of them.
using LifeNotice = std::variant<Welcome, Spawn, Host, Bye, Kill, List, Listing, AskFacts, Facts>;
using IntroductionNotice = std::variant<Connect, Connected, Died, Watch, Disconnect, Disconnected>;
// Answers of any service.
using OutcomeNotice = std::variant<Done, Failed>;

// All services between an agent and its processes. The number of each is its place, from 1: a new one comes last.
using Notice = std::variant<LifeNotice, IntroductionNotice, NameNotice, MailboxNotice, LockNotice, OutcomeNotice, SegmentNotice, ChannelNotice, HomeLockNotice,
                            HomeSegmentNotice>;

// T is one of the alternatives of a variant.
template <class T, class Variant>
inline constexpr bool is_one_of = false;
template <class T, class... Each>
inline constexpr bool is_one_of<T, std::variant<Each...>> = (std::is_same_v<T, Each> || ...);

// Null: it is another notice.
template <class Wanted>
const Wanted* get_if(const Notice* notice) noexcept {
  return std::visit(
      []<class Of>(const Of& of) -> const Wanted* {
        if constexpr (is_one_of<Wanted, Of>) return std::get_if<Wanted>(&of);
        else return nullptr;
      },
      *notice);
}
// Visits the notice itself, whatever its service.
template <class Visitor>
decltype(auto) visit(Visitor&& visitor, const Notice& notice) {
  return std::visit([&](const auto& of) -> decltype(auto) { return std::visit(visitor, of); }, notice);
}

// The number of a request, or of what an answer belongs to; 0: the notice has none.
std::uint64_t number_of(const Notice& notice);
Notice numbered(Notice notice, std::uint64_t request);

struct Received {
  Notice notice;
  std::vector<Fd> descriptors;
  bool lost_descriptors = false;  // some did not come: this process has as many open as it may
};

// A notice as one datagram, and back. decode() throws io_error for what is no notice: see envelope.hpp, or of an unknown kind.
wire::Body encode(const Notice& notice);
Notice decode(ByteView datagram);

// False when the peer is gone. Waits while the socket is full.
bool send(int socket, const Notice& notice, std::span<const int> descriptors = {});
// Waits; nothing at the end of the stream. Throws io_error for a datagram that is no notice: the next call reads what came after it.
std::optional<Received> receive(int socket);

// The same for a thread that must not wait for a process.
using datagram::sent;
sent send_now(int socket, ByteView bytes, std::span<const int> descriptors);
enum class heard : std::uint8_t { notice, nothing, end };
heard receive_now(int socket, Received& into);

}  // namespace octavo::control
