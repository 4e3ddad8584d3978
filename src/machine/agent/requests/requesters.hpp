// SPDX-License-Identifier: Apache-2.0
// The two kinds of requesters: a process of this agent is told by its control socket, one of another agent by the link; each gets its end of a connection
// its own way.
//
//   auto requester = requesters.local(child, request);            requesters.remote(peer, forwarded_request);
//
// Threading: the agent's. The requesters may outlive the process, or the link, and not this.
#pragma once

#include <cstdint>

#include "machine/agent/children/processes.hpp"
#include "machine/agent/common/requester.hpp"
#include "machine/agent/peers/peer_agents.hpp"
#include "machine/agent/requests/introducer.hpp"

namespace octavo::agent {

class Requesters {
 public:
  Requesters(Processes& processes, PeerAgents& peers, const Introducer& introducer) : processes_(processes), peers_(peers), introducer_(introducer) {}

  // `request`: its number; 0: what was said has no answer.
  [[nodiscard]] RequesterPtr local(const Child& child, std::uint64_t request);
  // `bell`: of the process that asks, if it came with the request: then its connection needs no channel.
  [[nodiscard]] RequesterPtr remote(PeerAgent& from, const talk::ForwardedRequest& request, Fd bell = {});

 private:
  class Common;
  class Local;
  class Remote;
  Processes& processes_;
  PeerAgents& peers_;
  Introducer introducer_;
};

}  // namespace octavo::agent
