// SPDX-License-Identifier: Apache-2.0
// The way to another agent: notices, and channels that carry connections of processes.
//
// Threading: the agent's. Failure: of a link that is lost nothing is sent any more; see road/relay.hpp.
#pragma once

#include <functional>
#include <memory>
#include <span>

#include "octavo/road/relay.hpp"

namespace octavo::agent {

class AgentLink {
 public:
  virtual ~AgentLink() = default;
  // `descriptors`: up to four, if it carries any; they stay the caller's.
  virtual void send(ByteView notice, std::span<const int> descriptors) = 0;
  [[nodiscard]] virtual bool carries_descriptors() const { return false; }
  // `process`: the doorbell of whoever has the other end, `slot` its slot in the pool.
  virtual void open(std::uint64_t channel, road::ShmEnd end, const road::Doorbell& process, unsigned slot) = 0;
  // Instead of open(): the process at the other machine is told that its peer is gone.
  virtual void refuse(std::uint64_t channel) = 0;
  // Rung by the processes whose connections the link carries.
  [[nodiscard]] virtual const road::Doorbell& bell() const = 0;
  // It is lost, and some of its channels have not ended: what has come for their processes is still given to them.
  [[nodiscard]] virtual bool carries() const { return false; }
};

// The events come on the link's own thread.
using OpenAgentLink = std::function<std::unique_ptr<AgentLink>(std::unique_ptr<road::Link> link, road::RelayEvents events)>;
// By a relay, which begins at once.
std::unique_ptr<AgentLink> open_relay(std::unique_ptr<road::Link> link, road::RelayEvents events, const road::RelayOptions& options);

}  // namespace octavo::agent
