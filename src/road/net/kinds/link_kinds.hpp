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
// LK-4  An engine's `link` is a scheme, and behind a colon what else its kind takes: chosen_link("tls").
// LK-5  Where bytes go by the command that runs the agent (`by_command`), nobody calls: the command's ends are brought to the listener, and the agent dials its
//       own standard input and output, once.
// LK-6  A kind that logs in by commands of its own (`takes_command`) takes one behind the colon, in which {} is the machine that it leads to; its address
//       is `scheme://where by COMMAND`, and both sides run it by LinkTerms::run.
//
// Threading: a listener: one thread at a time. dial() waits, at most until its deadline. Failure: as each kind says, naming the address.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "road/net/link_kind.hpp"

namespace octavo::road {

std::span<const LinkKind> link_kinds();
// Throws usage_error (LK-3).
const LinkKind& link_kind(std::string_view scheme);
const LinkKind& link_kind_of(std::string_view address);

// LK-4. Throws usage_error (LK-3), also for what its kind does not take.
struct ChosenLink {
  const LinkKind* kind = nullptr;
  std::string where;
  // The address to listen at; `own_address` is asked where the kind needs one.
  [[nodiscard]] std::string place(const std::function<std::string()>& own_address) const;
};
// `reachable`: this machine has an address by which the others reach it: then "files" without a directory goes by sftp.
ChosenLink chosen_link(const std::string& text, bool reachable = false);

std::unique_ptr<LinkListener> listen(const std::string& address, const ClusterKey& key, const LinkTerms& terms);
std::unique_ptr<Link> dial(const std::string& address, const ClusterKey& key, Deadline deadline, const LinkTerms& terms);

}  // namespace octavo::road
