// SPDX-License-Identifier: Apache-2.0
// The shm road: two rings and two lanes of cache lines in one memfd, a socket pair whose end tells of the peer's death, and the doorbells of both sides.
// The descriptors are made by the agent and handed to the two processes; no path, nothing in /dev/shm.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "octavo/base/fd.hpp"
#include "octavo/road/connection.hpp"
#include "octavo/road/doorbell.hpp"

namespace octavo::road {

// The way of pages (wire/page_ref.hpp) from one side of a connection.
constexpr std::uint32_t way_of(std::uint32_t connection, int writer) noexcept {
  return connection == 0 ? 0 : 2 * connection + static_cast<std::uint32_t>(writer);
}

// What one side needs to open its end. `side` is 0 or 1; both share `rings`. `road` is what the connection calls itself, a
// literal: "net" if a relay holds the other end.
struct ShmEnd {
  Fd rings, socket;
  int side = 0;
  std::string_view road = "shm";
  bool lanes = true;         // as the descriptors were made. False: all comes as bytes, as a relay reads it, and pages beside them
  std::uint32_t number = 0;  // of the connection, among those of one pool's processes; 0: no pages travel

  [[nodiscard]] std::uint32_t way_out() const noexcept { return way_of(number, side); }
  [[nodiscard]] std::uint32_t way_in() const noexcept { return way_of(number, 1 - side); }
};
struct ShmEnds {
  ShmEnd first, second;
};

inline constexpr std::size_t default_ring_bytes = 128 << 10;

// The descriptors of a new connection. Throws io_error.
ShmEnds make_shm_ends(std::size_t ring_bytes = default_ring_bytes, bool lanes = true);

// Opens an end, in the process that uses it: not in one that it is a fork of. `keeper` accepts the pages of messages, and releases those that nobody takes; it
// may be null where no pages travel.
std::shared_ptr<Connection> open_shm(ShmEnd end, Doorbell peer, wire::PageKeeper* keeper, wire::FrameLimits limits = {});

// The same, for two processes that have pools of their own, as those of two programs: pages go by value, and come as pages of `pages` while half of that stays
// free.
std::shared_ptr<Connection> open_between_pools(ShmEnd end, Doorbell peer, wire::SharedPages& pages, wire::FrameLimits limits = {});

// Opens the process's end of a connection that a relay carries on. Pages of `pages`, which the relay's process shares, are handed over to its
// slot there, and come as pages of it; without, by value.
std::shared_ptr<Connection> open_to_relay(ShmEnd end, Doorbell relay, wire::SharedPages* pages, unsigned relay_slot, wire::FrameLimits limits = {});

}  // namespace octavo::road
