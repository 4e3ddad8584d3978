// SPDX-License-Identifier: Apache-2.0
// An endpoint (endpoint.hpp) with what its process has of its agent (peers/): what a Runtime, a server and an object on a thread have.
// Threading: as Endpoint.
#pragma once

#include "process/endpoint.hpp"
#include "process/peers/peers.hpp"
#include "process/thread_host.hpp"

namespace octavo::detail {

class AttachedEndpoint : NoCopy {
 public:
  // `control`: the socket to the agent. `reach`: the whole program, or only where a Use is in force. `host`: of the objects on this process's threads.
  AttachedEndpoint(Fd control, Peers::role mine, runtime_reach reach, std::shared_ptr<ThreadHost> host, const FeatureList& features,
                   Peers::AgentLost agent_lost = {});
  ~AttachedEndpoint();

  [[nodiscard]] Endpoint& endpoint() noexcept { return endpoint_; }

 private:
  std::shared_ptr<ThreadHost> host_;
  Peers peers_;
  Endpoint endpoint_;
};

}  // namespace octavo::detail
