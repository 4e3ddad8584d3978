// SPDX-License-Identifier: Apache-2.0
// Files in the receiver's own directory as a kind of link (net/link_kind.hpp), between hosts that share none: "sftp://10.0.0.1/tmp/octavo-files-1f0c... by
// ssh -o BatchMode=yes {}": the host to log in at, the run's directory there (files/run_directory.hpp), and how to log in.
//
// SK-1  Each side has one session of sftp with the other (session.hpp), by which it puts its messages there; none is opened for a message. What it reads lies
// in
//       its own temporary directory ($TMPDIR).
// SK-2  Who dials makes a run's directory of its own, and says in its call where it is and what its machine is called; who listens logs in there, and gives the
//       link when that has been answered. A caller where that fails is dropped, with a line in the log that says why.
// LK-2 is kept by sshd and the file system: who calls has logged in as this user, and the directories are this user's alone.
#pragma once

#include "road/net/link_kind.hpp"

namespace octavo::road::sftp {

std::unique_ptr<LinkListener> listen_at(const std::string& where, const ClusterKey& key, const LinkTerms& terms);
std::unique_ptr<Link> dial_to(const std::string& where, const ClusterKey& key, Deadline deadline, const LinkTerms& terms);

inline constexpr LinkKind kind{.scheme = "sftp", .listen = &listen_at, .dial = &dial_to, .takes_command = true, .least_silence = std::chrono::seconds(60)};

}  // namespace octavo::road::sftp
