// SPDX-License-Identifier: Apache-2.0
// The command that runs an agent, ssh or its like, as a kind of link (net/link_kind.hpp): bytes go by its standard input and output, and no port is opened on
// either side. "ssh://0,1": the descriptors of the process that dials.
//
// That process has them no more: what it reads then is /dev/null, and what its objects print goes to its standard error. A connection is dialled once: what
// ends it has ended the command, and that is `refused`.
#pragma once

#include "road/net/link_kind.hpp"

namespace octavo::road::ssh {

std::unique_ptr<LinkListener> listen_at(const std::string& where, const ClusterKey& key, const LinkTerms& terms);
std::unique_ptr<Link> dial_to(const std::string& where, const ClusterKey& key, Deadline deadline, const LinkTerms& terms);

inline constexpr LinkKind kind{.scheme = "ssh", .listen = &listen_at, .dial = &dial_to, .needs_address = false, .by_command = true};

}  // namespace octavo::road::ssh
