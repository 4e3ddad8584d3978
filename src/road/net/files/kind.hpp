// SPDX-License-Identifier: Apache-2.0
// Files as a kind of link (net/link_kind.hpp): "files:///shared/x/octavo-files-1f0c...", the directory of a run (run_directory.hpp); to listen, the directory
// in which that is made, or nothing: this host's temporary one.
//
// LK-2 is kept by the file system: a run's directory has a name that only an invitation tells, and is its user's alone.
#pragma once

#include "road/net/link_kind.hpp"

namespace octavo::road::files {

std::unique_ptr<LinkListener> listen_at(const std::string& where, const ClusterKey& key, const LinkTerms& terms);
std::unique_ptr<Link> dial_to(const std::string& where, const ClusterKey& key, Deadline deadline, const LinkTerms& terms);

inline constexpr LinkKind kind{.scheme = "files", .listen = &listen_at, .dial = &dial_to, .needs_address = false, .least_silence = std::chrono::seconds(60)};

}  // namespace octavo::road::files
