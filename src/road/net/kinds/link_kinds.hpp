// SPDX-License-Identifier: Apache-2.0
// How two agents that share a cluster's key come to a link: by an address with a scheme, "tls://10.0.0.1:4711". A kind of link between machines is a folder
// and its line in link_kinds.cpp; tests/conformance/road/link_test.cpp then runs on it.
//
//   auto listener = road::listen("tls://10.0.0.1:0", key, {.silence = 5s});
//   invite(listener->address());                                                  // "tls://10.0.0.1:4711"
//   pollfd poll{listener->descriptor(), POLLIN, 0};                               // readable: take() has something to do
//   for (auto& link : listener->take()) serve(std::move(link));
//   auto link = road::dial("tls://10.0.0.1:4711", key, deadline, {.silence = 5s});   // on another machine
//
// LK-1  An address is `scheme://where`; what `where` means is its kind's affair. What a listener says as its address is what dial() takes, on every machine
//       that reaches it.
// LK-2  A link that listen() or dial() gives keeps L-1 to L-13, and is to somebody who has proven the key.
// LK-3  A scheme that is not known is a usage_error that names those that are.
//
// Threading: a listener: one thread at a time. dial() waits, at most until its deadline. Failure: as each kind says, naming the address.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "road/net/link_kind.hpp"

namespace octavo::road {

std::span<const LinkKind> link_kinds();
// Throws usage_error (LK-3).
const LinkKind& link_kind(std::string_view scheme);

std::unique_ptr<LinkListener> listen(const std::string& address, const ClusterKey& key, const LinkTerms& terms);
std::unique_ptr<Link> dial(const std::string& address, const ClusterKey& key, Deadline deadline, const LinkTerms& terms);

}  // namespace octavo::road
