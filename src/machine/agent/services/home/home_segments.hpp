// SPDX-License-Identifier: Apache-2.0
// The segments of the home, ov://home/..., between all programs of this user on a machine (SEG-6): its lasting agent makes their memory and holds it while a
// process has it; the agents on the way pass requests on, and the deaths of the processes that asked.
//
//   segments.take(requester, request);
//   segments.process_died(facts);
//
// Threading: the agent's. Failure: usage_error (another type or size, a bad name), not_supported (another machine), refused (bounds), io_error (no memory).
#pragma once

#include <map>
#include <optional>
#include <string>

#include "machine/agent/common/identity.hpp"
#include "machine/agent/peers/routes.hpp"
#include "octavo/base/fd.hpp"

namespace octavo::agent {

class HomeSegments {
 public:
  HomeSegments(const Identity& self, const Routes& routes, PeerAgents& peers, DeathRegister& deaths)
      : self_(self), routes_(routes), peers_(peers), deaths_(deaths) {}
  void take(const RequesterPtr& requester, const control::HomeSegmentNotice& notice);
  void process_died(const ProcessFacts& who);

 private:
  struct Segment {
    std::string type;
    std::uint64_t elements = 0, bytes = 0, inode = 0;
    Fd memory;
    std::map<Address, int> holders;  // how often each has it
  };
  template <class Request>
  void use(const RequesterPtr& requester, const Request& request);
  void fulfil(const RequesterPtr& requester, const control::HomeSegmentRequest& request);
  void fulfil(const RequesterPtr& requester, const control::HomeSegmentLeft& request);
  Segment& segment(const control::HomeSegmentRequest& request);

  const Identity& self_;
  const Routes& routes_;
  PeerAgents& peers_;
  DeathRegister& deaths_;
  std::map<std::string, Segment> segments_;
};

}  // namespace octavo::agent
