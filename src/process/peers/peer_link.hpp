// SPDX-License-Identifier: Apache-2.0
// One connection with one peer, and how pages travel on it.
// Threading: a value.
#pragma once

#include <memory>
#include <optional>

#include "octavo/machine/address.hpp"
#include "octavo/road/connection.hpp"
#include "octavo/wire/frame.hpp"

namespace octavo::detail {

struct PeerLink {
  ProcessFacts facts;                    // of the peer
  std::optional<wire::PageRoute> route;  // in the pool that the peer shares with this process; none: pages go by value
  std::shared_ptr<road::Connection> connection;
  bool carried = false;  // by agents: it ends with their links
};

}  // namespace octavo::detail
