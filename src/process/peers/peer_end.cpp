// SPDX-License-Identifier: Apache-2.0
#include "octavo/process/detail/peer_end.hpp"

#include <poll.h>

#include "process/endpoint.hpp"

namespace octavo::detail {

bool is_seen_to_have_ended(const Address& who) {
  const auto connection = Endpoint::require().around().links.way_to(who);
  if (connection == nullptr) return false;
  pollfd end{connection->watch(), POLLIN | POLLRDHUP, 0};
  return connection->lost() || (end.fd >= 0 && ::poll(&end, 1, 0) > 0);
}

}  // namespace octavo::detail
