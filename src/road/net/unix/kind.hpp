// SPDX-License-Identifier: Apache-2.0
// Unix sockets as a kind of link (net/link_kind.hpp) between agents of one host, as those of played machines are: "unix://octavo-1f0c...", an abstract name,
// of which nothing stays behind.
//
// LK-2 is kept by the kernel: it says whose process the other side is, and another user's is refused.
#pragma once

#include "road/net/link_kind.hpp"

namespace octavo::road::unix_socket {

std::unique_ptr<LinkListener> listen_at(const std::string& where, const ClusterKey& key, const LinkTerms& terms);
std::unique_ptr<Link> dial_to(const std::string& where, const ClusterKey& key, Deadline deadline, const LinkTerms& terms);

inline constexpr LinkKind kind{.scheme = "unix", .listen = &listen_at, .dial = &dial_to, .needs_address = false};

}  // namespace octavo::road::unix_socket
