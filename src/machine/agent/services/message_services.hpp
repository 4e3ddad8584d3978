// SPDX-License-Identifier: Apache-2.0
// What the agent knows of what its processes share: who reads which mailbox, where the ends of channels are, and the locks and segments of the home.
// Threading: the agent's.
#pragma once

#include "machine/agent/services/channels.hpp"
#include "machine/agent/services/home/home_locks.hpp"
#include "machine/agent/services/home/home_segments.hpp"
#include "machine/agent/services/mailboxes.hpp"

namespace octavo::agent {

struct MessageServices {
  MessageServices(const Identity& self, ReaderRecord* record, const Routes& routes, PeerAgents& peers, DeathRegister& deaths)
      : mailboxes(record, routes, peers, deaths),
        channels(routes, deaths, record != nullptr),
        home_locks(self.daemon, routes, peers, deaths),
        home_segments(self, routes, peers, deaths) {}
  void process_died(const Obituary& obituary) {
    mailboxes.process_died(obituary.facts);
    channels.process_died(obituary.facts);
    home_locks.process_died(obituary);
    home_segments.process_died(obituary.facts);
  }

  Mailboxes mailboxes;
  Channels channels;
  HomeLocks home_locks;
  HomeSegments home_segments;
};

}  // namespace octavo::agent
