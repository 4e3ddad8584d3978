// SPDX-License-Identifier: Apache-2.0
// TLS as a kind of link (net/link_kind.hpp): "tls://10.0.0.1:4711", a numeric address and a port; port 0 to listen at: the kernel chooses.
#pragma once

#include "road/net/link_kind.hpp"

namespace octavo::road::tls {

std::unique_ptr<LinkListener> listen_at(const std::string& where, const ClusterKey& key, const LinkTerms& terms);
std::unique_ptr<Link> dial_to(const std::string& where, const ClusterKey& key, Deadline deadline, const LinkTerms& terms);

inline constexpr LinkKind kind{.scheme = "tls", .listen = &listen_at, .dial = &dial_to};

}  // namespace octavo::road::tls
